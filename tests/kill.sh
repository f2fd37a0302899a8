#!/usr/bin/env bash
# A training run may be killed at any moment: it is ended with SIGKILL at random moments, every second time while a checkpoint
# is being written, and resumed each time, with another number of threads; at the end its weights and its log are those of a run
# that nobody disturbed. A fifth of the kills at least have to fall into a save; for that there may be up to three times N.
#   tests/kill.sh [--moments N] [--seed S]
set -u
cd "$(dirname "$0")/.."
train=$(realpath "${BUILD:-build}/experiments/bf-train")
moments=5
seed=$RANDOM
while [ $# -gt 1 ]; do
  case $1 in
    --moments) moments=$2 ;;
    --seed) seed=$2 ;;
    *) break ;;
  esac
  shift 2
done
[ $# = 0 ] || { echo "kill: usage: tests/kill.sh [--moments N] [--seed S]"; exit 2; }
RANDOM=$seed
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

fail() {
  echo "kill: $* (--seed $seed)"
  failed=1
}

# About a second: 3 epochs of 32 updates with the budgets' noise, and a checkpoint after every fifth.
run() {  # folder, threads
  exec "$train" --dataset synthetic --rows 1000 --dim 32 --layers 2 --heads 4 --epochs 3 --seed 7 --attention budget \
    --sparse-after 0.7 --threads "$2" --log-every 2 --checkpoint-every 5 --resume --out "$1"
}

lasting() {  # folder: its log without measured times, energy and memory
  sed -E 's/"((train_|cpu_)?seconds|joules|gco2|peak_(process|tensor)_bytes)":[^,}]*//g' "$1/metrics.jsonl"
}

compare() {  # folder: like the undisturbed one?
  cmp -s whole/model.safetensors "$1/model.safetensors" || fail "$1: model.safetensors is not that of an undisturbed run"
  cmp -s whole/test_texts.jsonl "$1/test_texts.jsonl" || fail "$1: test_texts.jsonl is not that of an undisturbed run"
  diff <(lasting whole) <(lasting "$1") >difference || fail "$1: metrics.jsonl differs: $(head -c 300 difference)"
  local left
  left=$(ls "$1" | grep -vxE 'config.json|metrics.jsonl|model.safetensors|summary.json|test_texts.jsonl')
  [ -z "$left" ] || fail "$1: is left with $left"
}

start=$(date +%s%N)
(run whole 2) >out 2>err || { echo "kill: the undisturbed run fails: $(tail -n 1 err)"; exit 1; }
milliseconds=$((($(date +%s%N) - start) / 1000000))

half_written() {  # folder: is there a temporary file that began after the last start?
  local file
  for file in "$1"/*.tmp* "$1"/checkpoint/*.tmp*; do [ "$file" -nt started ] && return; done
  return 1
}

enough() { [ $kills -ge "$moments" ] && [ $((5 * saving)) -ge "$moments" ] || [ $kills -ge $((3 * moments)) ]; }

kills=0
saving=0
folders=0
until enough || [ $failed = 1 ]; do
  folders=$((folders + 1))
  folder=run$folders
  # Up to five times in one run, then to its end.
  for ((i = 0; i < 5; ++i)); do
    enough && break
    touch started
    (run $folder $((1 + RANDOM % 3))) >out 2>err &
    process=$!
    if ((i % 2)); then
      # Some saves later, as soon as the temporary file is there.
      sleep 0.0$((RANDOM % 10))
      until half_written $folder || ! kill -0 $process 2>/dev/null; do :; done
    else
      wait=$((RANDOM % (milliseconds * 2 / 3 + 1)))
      sleep "$((wait / 1000)).$(printf %03d $((wait % 1000)))"
    fi
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
    status=$?
    case $status in
      137) kills=$((kills + 1)) && half_written $folder && saving=$((saving + 1)) ;;
      0) ;;  # it was faster
      *) fail "$folder: ends with $status: $(tail -n 1 err)" ;;
    esac
  done
  (run $folder 2) >out 2>err || fail "$folder: cannot be resumed: $(tail -n 1 err)"
  compare $folder
  rm -rf "$folder"
done
[ $failed = 1 ] || [ $((5 * saving)) -ge "$moments" ] || fail "only $saving of $kills kills fell into a save"

# Asked to stop, a run saves at the update it is at, says so in one line, and ends as the signal says.
for signal in INT:130 TERM:143; do
  folder=${signal%:*}
  (run "$folder" 2) >out 2>err &
  process=$!
  until [ -d "$folder/checkpoint" ] || ! kill -0 $process 2>/dev/null; do :; done
  kill -"${signal%:*}" $process 2>/dev/null
  wait $process
  status=$?
  [ $status = "${signal#*:}" ] || fail "SIG${signal%:*} ends a run with $status: $(tail -n 1 err)"
  [ "$(grep -c '^bf-train: stopped after step' err)" = 1 ] || fail "SIG${signal%:*}: $(tail -n 1 err)"
  (run "$folder" 2) >out 2>err || fail "$folder: cannot be resumed: $(tail -n 1 err)"
  compare "$folder"
done

[ $failed = 0 ] && echo "kill: ok, $kills kills of $folders runs, $saving of them left a half-written file"
exit $failed
