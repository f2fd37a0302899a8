#!/usr/bin/env bash
# The whole study as a list of runs: model x data set x seed x option, each run of bf-train in a folder of its own.
#
#   bash experiments/reproduce.sh [--data DIR] [--runs DIR] [--results DIR] [--jobs N] [--only PART]... [--quick]
#
#   --data DIR      one folder per data set in it, named as below (default: data)
#   --runs DIR      where the runs are kept (default: runs/study); finished ones are skipped, an interrupted one goes on
#   --results DIR   tables, JSON lines and the page (default: experiments/results/study)
#   --jobs N        trainings at the same time, each with one thread (default: one per processor)
#   --only PART     main, mixed, ablation, opponents, budgets or scaling; several times for several
#   --quick         tiny runs on generated texts: shows that everything works
#
# On 2 cores the whole takes about HOURS hours.
set -euo pipefail
cd "$(dirname "$0")/.."

data=data runs=runs/study results=experiments/results/study jobs=$(nproc) quick= parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --data | --runs | --results | --jobs | --only)
      [ $# -ge 2 ] || { echo "reproduce.sh: $1 needs a value" >&2; exit 2; } ;;
  esac
  case $1 in
    --data) data=$2; shift ;;
    --runs) runs=$2; shift ;;
    --results) results=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --only) parts+=("$2"); shift ;;
    --quick) quick=yes ;;
    *) echo "reproduce.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
all_parts=(main mixed ablation opponents budgets scaling)
[ ${#parts[@]} -gt 0 ] || parts=("${all_parts[@]}")
for part in "${parts[@]}"; do
  [[ " ${all_parts[*]} " == *" $part "* ]] || { echo "reproduce.sh: --only $part: expected one of ${all_parts[*]}" >&2; exit 2; }
done

bin=${BUILD:-build}/experiments
[ -x "$bin/bf-ablate" ] || bash setup.sh
mkdir -p "$runs" "$results"
