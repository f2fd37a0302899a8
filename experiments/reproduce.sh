#!/usr/bin/env bash
# The whole study as a list of runs: model x data set x seed x option, each run of bf-train in a folder of its own.
#
#   bash experiments/reproduce.sh [--data DIR] [--runs DIR] [--results DIR] [--jobs N] [--only PART]... [--quick]
#
#   --data DIR      the data sets, each in a folder of its own: ag_news, dbpedia, emotion, imdb, r8, snli, sst2_glue, trec,
#                   20ng, yelp_review_full (default: data)
#   --runs DIR      where the runs are kept (default: runs/study); finished ones are kept, an interrupted one goes on
#   --results DIR   tables, JSON lines, pictures and pages (default: experiments/results/study; with --quick a new folder
#                   below runs)
#   --jobs N        trainings at the same time, each with one thread (default: one per processor)
#   --only PART     main, mixed, ablation, opponents, budgets or scaling; several times for several
#   --quick         tiny runs on generated texts: shows in a minute that everything works
#
# The whole takes about 5.5 hours on 2 cores, its runs added up: main 2, mixed 0.4, ablation 0.5, opponents 1.1, budgets 0.4, scaling 1;
# with the parts of the data sets that its results name. The whole training sets of DBpedia and Yelp take days.
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."

data=data runs=runs/study results= jobs=$(nproc) quick= parts=()
# A path as the caller means it; relative below the project, so that the commands in the tables are, too.
given() { case $1 in /*) realpath -ms --relative-base=. "$1" ;; *) realpath -ms --relative-base=. "$from/$1" ;; esac }
while [ $# -gt 0 ]; do
  case $1 in
    --data | --runs | --results | --jobs | --only)
      [ $# -ge 2 ] || { echo "reproduce.sh: $1 needs a value" >&2; exit 2; } ;;
  esac
  case $1 in
    --data) data=$(given "$2"); shift ;;
    --runs) runs=$(given "$2"); shift ;;
    --results) results=$(given "$2"); shift ;;
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

[ -n "$quick" ] && runs=$runs-quick
[ -n "$results" ] || results=$([ -n "$quick" ] && echo "$runs/results" || echo experiments/results/study)

# The data sets of the main table: name, folder, epochs, longest text in tokens.
names=(trec r8 emotion sst2 snli dbpedia yelp_full ag_news 20ng imdb)
declare -A sets=([trec]="trec 12 64" [r8]="r8 8 256" [emotion]="emotion 4 64" [sst2]="sst2_glue 3 64" [snli]="snli 3 64"
  [dbpedia]="dbpedia 5 128" [yelp_full]="yelp_review_full 5 256" [ag_news]="ag_news 3 128" [20ng]="20ng 4 128"
  [imdb]="imdb 2 256")

# needs PART: its data sets.
needs() {
  case $1 in
    main) echo "${names[@]}" ;;
    ablation | opponents) echo emotion ;;
    budgets) echo ag_news ;;
    scaling) echo trec emotion ;;
  esac
}
if [ -z "$quick" ]; then
  for part in "${parts[@]}"; do
    for name in $(needs "$part"); do
      folder=${sets[$name]%% *}
      [ -d "$data/$folder" ] || { echo "reproduce.sh: --data: $data/$folder is missing ($part needs it)" >&2; exit 1; }
    done
  done
fi
bash setup.sh >&2
bin=${BUILD:-build}/experiments
mkdir -p "$runs" "$results"

seeds=1,2,3

# study BINARY PART RUNS_BELOW ARGUMENT...: one grid of runs; its results go to the results of PART.
study() {
  local binary=$1 part=$2 folder=$runs/$3
  shift 3
  echo "reproduce.sh: $part: $binary $*" >&2
  "$bin/$binary" "$@" --seeds "$seeds" --threads 1 --jobs "$jobs" --resume --out "$folder" >/dev/null
  sed "s/\"part\":\"[a-z-]*\"/\"part\":\"$part\"/" "$folder/results.jsonl" >>"$runs/$part.jsonl"
}

# data_set NAME: its options, the same in every part, so that parts share runs.
data_set() {
  local folder epochs length
  read -r folder epochs length <<<"${sets[$1]}"
  options=(--dataset "$1" --data-dir "$data/$folder" --epochs "$epochs" --max-len "$length")
}
# on NAME BINARY PART ARGUMENT...: a grid of runs on a data set of the table.
on() {
  local name=$1 binary=$2 part=$3
  shift 3
  data_set "$name"
  study "$binary" "$part" "$name" "${options[@]}" "$@"
}

# Hard texts are learned late and all at once: many rows, and a dense start that lasts until then.
mixed=(--dataset synthetic --difficulty mixed --rows 150000 --dim 64 --dropout 0 --lr 1.5e-3 --epochs 8 --dense 0.6
  --head-price 0.06)

part_main() { for name in "${names[@]}"; do on "$name" bf-compare main; done; }
part_mixed() { study bf-ablate mixed mixed --part gate "${mixed[@]}"; }
part_ablation() { on emotion bf-ablate ablation --part ablation; }
part_opponents() {
  on emotion bf-ablate opponents --part opponents
  study bf-ablate opponents mixed --part opponents "${mixed[@]}"
}
part_budgets() { on ag_news bf-ablate budgets --part budgets; }
# At the usual price most texts are at the floor of one head, whatever the size.
part_scaling() {
  on trec bf-ablate scaling --part layers --head-price 0.1
  on trec bf-ablate scaling --part heads --head-price 0.1
  on emotion bf-ablate scaling --part rows --head-price 0.1
}

# A part's results are the committed ones until all of its grids have run.
if [ -n "$quick" ]; then
  seeds=1,2
  tiny=(--dataset synthetic --rows 240 --dim 16 --layers 1 --epochs 2)
  part_main() { study bf-compare main quick "${tiny[@]}"; }
  part_mixed() { study bf-ablate mixed quick-mixed --part gate "${tiny[@]}" --difficulty mixed; }
  part_ablation() { study bf-ablate ablation quick --part ablation "${tiny[@]}"; }
  part_opponents() { study bf-ablate opponents quick --part opponents "${tiny[@]}"; }
  part_budgets() { study bf-ablate budgets quick --part budgets "${tiny[@]}"; }
  part_scaling() { study bf-ablate scaling quick --part layers "${tiny[@]}"; }
fi

for part in "${parts[@]}"; do
  rm -f "$runs/$part.jsonl"
  "part_$part"
  cp "$runs/$part.jsonl" "$results/$part.jsonl"
done

# page NAME PART FOLDER DATASET ARGUMENT...: BudgetFormer and its reference from the inside, where the part has run.
page() {
  local name=$1 part=$2 run=$runs/$3/$4
  shift 4
  [ -e "$runs/$part.jsonl" ] || return 0
  "$bin/bf-report" --run "$run-budget-seed1" --run "$run-mha-seed1" --times "$runs/$part.jsonl" --out "$results/$name.html" "$@"
}
if [ -n "$quick" ]; then
  page mixed mixed quick-mixed synthetic
else
  page mixed mixed mixed synthetic --texts experiments/mixed_texts.txt
  page ag_news main ag_news ag_news --texts experiments/news_texts.txt
  page imdb main imdb imdb --texts experiments/review_texts.txt
fi
"$bin/bf-report" --study "$results" --out "$results/study.html" --markdown "$results/study.md" --pictures "$results"
echo "reproduce.sh: $results/study.html"
