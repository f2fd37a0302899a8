#!/usr/bin/env bash
# Measures the speed that the README reports, against PyTorch where there is one, and prints it as tables:
#   experiments/speed.sh                                 # everything, without PyTorch if python3 has no torch
#   experiments/speed.sh --python PATH/bin/python        # PyTorch is in another Python
#   experiments/speed.sh --only train256,budget --rounds 3
#   experiments/speed.sh --quick                         # seconds, on tiny models: shows that it works, not how fast
# Close everything else first: what is measured is ratios of runs in turn, but a busy machine still blurs them.
set -euo pipefail
cd "$(dirname "$0")/.."
bench=${BUILD:-build}/experiments/bf-bench
[ -x "$bench" ] || { echo "speed.sh: $bench is not there; run setup.sh first" >&2; exit 1; }
# These would choose processor kernels for both sides by hand.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
exec python3 experiments/speed.py --bench "$bench" "$@"
