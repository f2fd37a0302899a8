#!/usr/bin/env bash
# The first look: sets up, then trains standard multi-head attention and BudgetFormer side by side and prints one table.
# The text is what every Debian or Ubuntu machine has: one-line package descriptions, to be sorted into their sections.
# Where there is no package index, generated texts take its place. About 5 minutes on 2 cores; further arguments go to
# bf-compare.
set -euo pipefail
cd "$(dirname "$0")/.."
bash setup.sh

data=(--dataset debian)
# Without a downloaded index, apt-cache knows the installed packages only: too few to learn from.
known=$(apt-cache dumpavail 2>/dev/null | grep -c '^Package:' || true)
if [ "$known" -lt 5000 ]; then
  echo "quickstart.sh: no package index here (apt-cache knows $known packages), so the texts are generated" >&2
  data=(--dataset synthetic)
fi
exec "${BUILD:-build}/experiments/bf-compare" "${data[@]}" "$@"
