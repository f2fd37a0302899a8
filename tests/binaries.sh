#!/usr/bin/env bash
# The binaries as a user meets them: they run end to end on generated texts, and every mistake ends with the right exit code
# and one line on stderr that names the culprit. No network and no data files needed.
set -u
cd "$(dirname "$0")/.."
root=$(pwd)
bin=$(realpath "${BUILD:-build}/experiments")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

fail() {
  echo "binaries: $*"
  failed=1
}

works() {  # command: exit 0
  "$@" >out 2>err </dev/null || fail "'$*' ends with $?: $(tail -n 2 err)"
}

refuses() {  # exit code, text of the message, command
  local want=$1 text=$2
  shift 2
  "$@" >out 2>err </dev/null
  local got=$?
  [ $got = "$want" ] || fail "'$*' ends with $got instead of $want"
  [ "$(wc -l <err)" = 1 ] || fail "'$*' prints $(wc -l <err) lines on stderr instead of 1: $(head -n 3 err)"
  grep -qF -- "$text" err || fail "'$*' does not say \"$text\": $(cat err)"
}

tiny=(--dataset synthetic --rows 300 --dim 16 --layers 2 --heads 4 --epochs 2 --threads 2)

for name in train evaluate predict compare ablate data bench report; do works "$bin/bf-$name" --help; done
works "$bin/bf-train" "${tiny[@]}" --attention budget --out run
for file in config.json metrics.jsonl test_texts.jsonl summary.json model.safetensors; do
  [ -s run/$file ] || fail "bf-train wrote no run/$file"
done
python3 - <<'PYTHON' || fail "summary.json does not say what computed"
import json, re
computed = json.load(open("run/summary.json"))["environment"]
assert re.match("own [0-9]+x[0-9]+ ", computed["gemm_kernel"]), computed
assert re.match("AVX|S?SSE|NEON|SVE|EMU128|SCALAR", computed["simd"]), computed
PYTHON
works "$bin/bf-evaluate" --model run --dataset synthetic --rows 300
works "$bin/bf-evaluate" --model run --dataset synthetic --rows 300 --budget 0.25 --json
works "$bin/bf-evaluate" --model run --dataset synthetic --rows 300 --texts texts.jsonl
cmp -s texts.jsonl run/test_texts.jsonl || fail "bf-evaluate --texts writes other lines than bf-train"
works "$bin/bf-evaluate" --model run --dataset synthetic --rows 300 --gate random --texts random.jsonl
cmp -s random.jsonl texts.jsonl && fail "bf-evaluate --gate random runs the learned heads"
works "$bin/bf-compare" "${tiny[@]}" --json
works "$bin/bf-data" --dataset synthetic --rows 300
works "$bin/bf-data" --dataset synthetic --rows 300 --tokenize $'a\033[2Jb'
grep -q $'\033' out && fail "bf-data --tokenize: a control character in the output"
works "$bin/bf-bench" --dim 16 --heads 2 --ffn 32 --layers 1 --batches 2 --batch 4 --profile
grep -q '"accounted":' out || fail "bf-bench --profile puts no profile in its line"
grep -q '"cpu_seconds":.*"gemm_cpu_share":' out || fail "bf-bench does not say how much of the threads' time it had"
works "$bin/bf-bench" --what latency --attention budget --dim 16 --heads 2 --ffn 32 --layers 1 --batches 2
works "$bin/bf-bench" --attention budget --sparse --dim 16 --heads 2 --ffn 32 --layers 1 --batches 2 --batch 4
works "$bin/bf-train" "${tiny[@]}" --attention budget --sparse-after 0.5 --out sparse

# A page about two runs, whole and loading nothing; without gnuplot, one line that says so.
works "$bin/bf-train" "${tiny[@]}" --attention mha --out dense
printf 'the red box\n<script>alert(1)</script>\n' >texts
if command -v gnuplot >/dev/null; then
  works "$bin/bf-report" --run run --run dense --texts texts --out page.html
  tail -n 1 page.html | grep -q '</html>' || fail "bf-report wrote no whole page"
  grep -q '<svg' page.html || fail "bf-report drew no picture"
  grep -qE '(https?|file)://|<script' page.html && fail "bf-report's page refers to something outside"
  refuses 1 'no config.json' "$bin/bf-report" --run . --out other.html
  mkdir study && for variant in mha budget; do
    printf '{"dataset": "any", "variant": "%s", "seed": 1, "test": {"accuracy": 0.5}}\n' $variant
  done >study/main.jsonl
  works "$bin/bf-report" --study study --out study.html --markdown study.md
  grep -q '^| any | budget | 1 | 50.00 |' study.md || fail "bf-report wrote no table of the study"
  mkdir none && refuses 1 'holds no part of a study' "$bin/bf-report" --study none --out other.html
  refuses 1 nowhere "$bin/bf-report" --run run --texts nowhere --out other.html
fi
refuses 1 'gnuplot: not found' env PATH=/nowhere "$bin/bf-report" --run run --out other.html
refuses 2 --run "$bin/bf-report" --out other.html
refuses 2 --out "$bin/bf-report" --run run
refuses 2 --texts "$bin/bf-report" --study study --texts texts --out other.html
refuses 2 --markdown "$bin/bf-report" --run run --markdown study.md --out other.html

# The speed table's script, on tiny models and without PyTorch (`false` is a Python without torch).
works bash "$root/experiments/speed.sh" --quick --python false
grep -q '^| train, D 256, mean 48 | ' out || fail "speed.sh prints no table"

# A trained mha, pruned and trained on.
works "$bin/bf-train" "${tiny[@]}" --attention mha --out whole
works "$bin/bf-train" --prune-from whole --heads 2 --epochs 1 --dataset synthetic --rows 300 --threads 2 --out pruned
grep -q '"kept-heads"' pruned/config.json || fail "bf-train --prune-from does not record which heads it kept"
works "$bin/bf-evaluate" --model pruned --dataset synthetic --rows 300

# The study's script, on tiny models, with its tables and pictures; a second time nothing is trained.
works bash "$root/experiments/reproduce.sh" --quick --runs study
grep -q 'has not been run' study-quick/results/study.md && fail "reproduce.sh left out a part"
for file in main.jsonl mixed-1.svg mixed.html study.html study.md; do
  [ -s study-quick/results/$file ] || fail "reproduce.sh wrote no $file"
done
grep -q 'xmlns:xlink=' study-quick/results/mixed-1.svg || fail "a picture of a study is no whole SVG file"
works bash "$root/experiments/reproduce.sh" --quick --only main --runs study
grep -q "train loss" err && fail "reproduce.sh trains what is finished: $(grep "train loss" err | head -n 1)"
refuses 1 'study-none/trec is missing (main needs it)' bash "$root/experiments/reproduce.sh" --only main --data study-none
refuses 2 --only bash "$root/experiments/reproduce.sh" --only everything

# The same bytes on any number of threads, with a checkpoint after every update or with none, and whatever OpenBLAS is told:
# weights, and what training, evaluation and prediction say of every text.
repeated=("$bin/bf-train" --dataset synthetic --rows 300 --dim 32 --layers 2 --heads 4 --batch 8 --seed 3)
works "$bin/bf-data" --dataset synthetic --generate 100 --out lines.jsonl
same() {  # attention, how, options of bf-train...: trains a model and asks it, like the first one of its kind
  local attention=$1 how=$2 file
  shift 2
  works "${repeated[@]}" --epochs 2 --attention "$attention" --out "$attention-$how" "$@"
  works "$bin/bf-evaluate" --model "$attention-$how" --dataset synthetic --rows 300 --threads "$threads" \
    --texts "$attention-$how/evaluated"
  "$bin/bf-predict" --model "$attention-$how" --jsonl --threads "$threads" <lines.jsonl >"$attention-$how/predicted" 2>err ||
    fail "bf-predict: $(tail -n 1 err)"
  [ "$(wc -l <"$attention-$how/predicted")" = 100 ] || fail "bf-predict answers 100 lines with $(wc -l <"$attention-$how/predicted")"
  for file in model.safetensors test_texts.jsonl evaluated predicted; do
    cmp -s "$attention-1/$file" "$attention-$how/$file" || fail "$attention, $how: $file is not that of one thread"
  done
}
for attention in mha budget; do
  for threads in 1 2 3 8; do same $attention $threads --threads $threads; done
  threads=3
  same $attention saved --threads $threads --checkpoint-every 1
  same $attention unsaved --threads $threads --checkpoint-every 0
  for count in 1 8; do
    export OPENBLAS_NUM_THREADS=$count
    same $attention openblas-$count --threads $threads
    unset OPENBLAS_NUM_THREADS
  done
done

# In batches of 1 and of 64 and line by line, a text is given the same class, the same budget and the same heads.
for attention in mha budget; do
  evaluated=("$bin/bf-evaluate" --model $attention-1 --dataset jsonl --data-dir lines --text-columns text --label-column label --texts)
  mkdir -p lines && cp lines.jsonl lines/train.jsonl && cp lines.jsonl lines/test.jsonl
  works "${evaluated[@]}" alone --batch 1
  works "${evaluated[@]}" together --batch 64
  cmp -s alone together || fail "$attention: a text in a batch of 64 is another than alone"
  python3 - $attention-1/predicted together <<'PYTHON' || fail "$attention: bf-predict says of a text what bf-evaluate does not"
import json, math, sys
for line, row in zip(*(map(json.loads, open(path)) for path in sys.argv[1:]), strict=True):
    assert line["label"] == ("no", "yes")[row["prediction"]], (line, row)
    assert math.isclose(-math.log(line["probabilities"][("no", "yes")[row["label"]]]), row["loss"], rel_tol=1e-4), (line, row)
    if "budget" in sys.argv[1]:
        assert [float(f"{s:.6g}") for s in line["s"]] == row["s"], (line, row)
        assert line["heads"] == [len(heads) for heads in row["heads"]], (line, row)
PYTHON
done

# As many threads as --threads says; told to, OpenBLAS starts some more, which wait for work a moment and then sleep.
for threads in 1 2 3; do
  for count in 1 8; do
    OPENBLAS_NUM_THREADS=$count "${repeated[@]}" --epochs 12 --attention budget --threads $threads --out counted-$threads-$count \
      >out 2>err </dev/null &
    process=$! most=0 least=$threads states=A-Z
    [ $count = 1 ] || { sleep 0.3; least=1 states=R; }
    while kill -0 $process 2>/dev/null; do
      now=$(cat /proc/$process/task/*/stat 2>/dev/null | sed 's/.*) //' | grep -c "^[$states]")
      [ "$now" -le $most ] || most=$now
      sleep 0.01
    done
    wait $process || fail "bf-train --threads $threads ends with $?: $(tail -n 1 err)"
    [ $most -ge $least ] && [ $most -le $threads ] ||
      fail "bf-train --threads $threads, OPENBLAS_NUM_THREADS $count: $most threads in a state of $states"
  done
done

# A run that is complete is shown again; one of other options or rows, or under way, is refused.
tiny_again=("${tiny[@]}" --attention budget --out run --resume)
works "$bin/bf-train" "${tiny_again[@]}"
grep -q '^accuracy ' out || fail "bf-train --resume of a complete run shows no result"
grep -q 'is complete in run' err || fail "bf-train --resume does not say that the run is complete"
works "$bin/bf-train" "${tiny_again[@]}" --json --log-every 7 --checkpoint-every 3
cmp -s <(python3 -c 'import json; print(json.load(open("run/summary.json"))["test"])') \
  <(python3 -c 'import json; print(json.load(open("out"))["test"])') ||
  fail "bf-train --resume --json of a complete run does not print its summary.json"
same='give it the same options, or choose another folder'
for change in '--lr 0.5:--lr 0.001, not 0.5' '--difficulty hard:--difficulty mixed, not hard' \
  '--max-len 99:--max-len 256, not 99' '--vocab-size 50:--vocab-size 20000, not 50'; do
  "$bin/bf-train" "${tiny_again[@]}" ${change%%:*} >out 2>err && fail "--resume takes ${change%%:*}"
  grep -qF "run: was begun with ${change#*:}; $same" err || fail "--resume with ${change%%:*} says: $(tail -n 1 err)"
done
"$bin/bf-train" "${tiny_again[@]/#4/2}" >out 2>err && fail "--resume takes --heads 2, under which all shapes stay"
grep -qF "run: was begun with --heads 4, not 2; $same" err || fail "--resume with --heads 2 says: $(tail -n 1 err)"
mkdir held
flock held/lock "$bin/bf-train" "${tiny[@]}" --out held >out 2>err && fail "bf-train works in a folder that is locked"
grep -q 'held: is in use by' err || fail "bf-train in a locked folder says: $(tail -n 1 err)"

# A learning rate beyond all reason: the run ends with the step, the operation and the checkpoint; where such updates are
# skipped, after eleven in a row.
absurd=(--dataset synthetic --rows 1000 --dim 16 --layers 2 --heads 4 --epochs 2 --lr 1e30 --checkpoint-every 1 --resume)
"$bin/bf-train" "${absurd[@]}" --out absurd >out 2>err
status=$?
[ $status = 1 ] || fail "bf-train --lr 1e30 ends with $status"
tail -n 1 err | grep -qE 'training: the loss is -?(nan|inf) at step 2 \(epoch 1\): [a-z_]+: output \[[0-9, ]+\] has -?(nan|inf) at element [0-9]+; the first parameter with a gradient that is not finite is "[a-z0-9._]+"; the last good checkpoint is absurd/checkpoint/step-1.safetensors \(step 1\)$' ||
  fail "bf-train --lr 1e30 says: $(tail -n 1 err)"
"$bin/bf-train" "${absurd[@]}" --on-nonfinite skip --out absurd >out 2>err
status=$?
[ $status = 1 ] || fail "bf-train --lr 1e30 --on-nonfinite skip ends with $status"
grep -q 'goes on after step 1$' err || fail "a run that ended at step 2 does not go on after step 1"
tail -n 1 err | grep -q 'at step 12 .*; it is number 11 in a row, and 10 may be skipped; the last good checkpoint is absurd/checkpoint/step-11.safetensors (step 11)$' ||
  fail "bf-train --lr 1e30 --on-nonfinite skip says: $(tail -n 1 err)"
[ "$(grep -c '"skipped":"the loss is' absurd/metrics.jsonl)" = 10 ] ||
  fail "metrics.jsonl has $(grep -c '"skipped":"the loss is' absurd/metrics.jsonl) skipped updates instead of 10"
refuses 2 --on-nonfinite "$bin/bf-train" --dataset synthetic --on-nonfinite hope

# A prediction does not depend on the lines around it, and there is one for every line.
printf 'the red box\n\n   \na second text\n' | "$bin/bf-predict" --model run >four 2>err || fail "bf-predict: $(cat err)"
printf 'a second text\n' | "$bin/bf-predict" --model run >one 2>err || fail "bf-predict: $(cat err)"
[ "$(wc -l <four)" = 4 ] || fail "bf-predict answers 4 lines with $(wc -l <four)"
[ "$(tail -n 1 four)" = "$(tail -n 1 one)" ] || fail "bf-predict: an answer depends on the lines around it"

# Mistakes on the command line: 2.
refuses 2 --no-such "$bin/bf-train" --no-such 1
refuses 2 --dim "$bin/bf-train" --dataset synthetic --dim 30 --heads 8
refuses 2 --batch "$bin/bf-train" --dataset synthetic --batch 0
refuses 2 --lr "$bin/bf-train" --dataset synthetic --lr -1
refuses 2 --fixed-budget "$bin/bf-train" --dataset synthetic --attention fixed --fixed-budget 1.5
refuses 2 --attention "$bin/bf-train" --dataset synthetic --attention sparse
refuses 2 --dataset "$bin/bf-train" --dataset no_such_set
refuses 2 --budget "$bin/bf-evaluate" --model run --dataset synthetic --budget 0
refuses 2 --gate "$bin/bf-evaluate" --model run --dataset synthetic --gate drawn
refuses 2 --gate "$bin/bf-evaluate" --model mha-1 --dataset synthetic --rows 300 --gate random
refuses 2 --heads "$bin/bf-train" --prune-from whole --heads 5 --dataset synthetic --rows 300
refuses 2 --prune-from "$bin/bf-train" --prune-from run --heads 2 --dataset synthetic --rows 300
refuses 2 --data-seed "$bin/bf-train" --prune-from whole --heads 2 --dataset synthetic --rows 300 --data-seed 4
refuses 2 --watts-per-core "$bin/bf-evaluate" --model run --dataset synthetic --watts-per-core 0
refuses 2 --data-seed "$bin/bf-evaluate" --model run --dataset synthetic --rows 300 --data-seed 5
refuses 2 --tau-start "$bin/bf-train" --dataset synthetic --tau-end 2
refuses 2 --hinge "$bin/bf-train" --dataset synthetic --hinge 1e7
refuses 2 --vocab-size "$bin/bf-train" --dataset synthetic --vocab-size 3000000000
refuses 2 --datasets "$bin/bf-compare" --datasets trec,trec --data-dir .
refuses 2 --attention "$bin/bf-compare" --dataset synthetic --attention mha,mha
refuses 2 --what "$bin/bf-bench" --what fly
refuses 2 --threads "$bin/bf-bench" --threads 0
refuses 2 --sparse "$bin/bf-bench" --what infer --attention budget --sparse
refuses 2 --resume "$bin/bf-train" --dataset synthetic --resume
refuses 2 --sparse-after "$bin/bf-train" --dataset synthetic --sparse-after 2

# Mistakes in files and folders: 1, naming file and line.
refuses 1 nowhere "$bin/bf-evaluate" --model nowhere --dataset synthetic
refuses 1 run "$bin/bf-train" "${tiny[@]}" --out run
mkdir empty && refuses 1 empty "$bin/bf-train" --dataset ag_news --data-dir empty
mkdir bad
printf '"1","a","b"\n"9","c","d"\n' >bad/train.csv
printf '"1","a","b"\n' >bad/test.csv
refuses 1 'bad/train.csv:2' "$bin/bf-train" --dataset ag_news --data-dir bad
printf '"1","a","b"\n"2","c"\n' >bad/train.csv
refuses 1 'bad/train.csv:2' "$bin/bf-train" --dataset ag_news --data-dir bad
printf '"1","a","b"\n"2","caf\xe9","d"\n' >bad/train.csv
refuses 1 'bad/train.csv:2' "$bin/bf-train" --dataset ag_news --data-dir bad
printf '"1","a","b"\n"1","c","d"\n' >bad/train.csv
refuses 1 'class' "$bin/bf-train" --dataset ag_news --data-dir bad
: >bad/train.csv
refuses 1 'bad/train.csv' "$bin/bf-train" --dataset ag_news --data-dir bad
mkdir -p broken && cp run/config.json broken/ && head -c 100 run/model.safetensors >broken/model.safetensors
refuses 1 'broken' "$bin/bf-evaluate" --model broken --dataset synthetic --rows 300

# What is no regular file is not waited for, and nothing from outside reaches the terminal as a command.
mkdir -p pipes/pos && mkfifo pipes/Packages pipes/config.json pipes/model.safetensors && printf 'x\n' >pipes/pos/a && ln -s loop pipes/loop
refuses 1 'is not a regular file' timeout 20 "$bin/bf-data" --dataset debian --data-dir pipes/Packages
refuses 1 'is not a regular file' timeout 20 "$bin/bf-predict" --model pipes
refuses 1 'is not a regular file' timeout 20 "$bin/bf-train" --dataset debian --data-dir /dev/zero
printf '"1","a","b"\n"\033[2J\302\2332J","c","d"\n' >bad/train.csv
refuses 1 'bad/train.csv:2: label " [2J 2J"' "$bin/bf-train" --dataset ag_news --data-dir bad
head -c 17000000 /dev/zero | tr '\0' x | "$bin/bf-predict" --model run >out 2>err && fail "bf-predict reads a line of 17 MB"
grep -qF 'stdin:1: line longer than 16777216 bytes' err || fail "bf-predict says of a line of 17 MB: $(tail -n 1 err)"
printf '{"text": %s' "$(head -c 1000000 /dev/zero | tr '\0' '[')" | "$bin/bf-predict" --model run --jsonl >out 2>err
grep -qF 'stdin:1: expected a JSON object' err || fail "bf-predict says of a million brackets: $(tail -n 1 err)"
"$bin/bf-predict" --model run <. >out 2>err && fail "bf-predict takes an input that cannot be read for the end"
grep -qF 'stdin:1: cannot read: Is a directory' err || fail "bf-predict says of a folder as input: $(tail -n 1 err)"

# No count is so large that a product of two wraps around.
for huge in 1000000001 9223372036854775808 18446744073709551615; do
  for option in dim layers heads head-width ffn rows epochs batch accumulate pass-tokens max-steps max-len patience log-every; do
    refuses 2 "--$option: expected a whole number from" timeout 20 "$bin/bf-train" --dataset synthetic --$option $huge
  done
  for option in dim heads ffn layers vocab classes batch longest mean pass-tokens; do
    refuses 2 "--$option: expected a whole number from" timeout 20 "$bin/bf-bench" --what train --$option $huge
  done
done

# A run that is interrupted, and what may happen to its folder before it goes on: always one clear error, and with the
# trouble out of the way the end of a run that nobody disturbed.
mkdir rows && "$bin/bf-data" --dataset synthetic --generate 1000 --out rows/train.jsonl >out 2>err || fail "bf-data: $(cat err)"
cp rows/train.jsonl rows/test.jsonl
long() {  # folder; in a subshell of its own, which becomes the program
  exec "$bin/bf-train" --dataset jsonl --data-dir rows --text-columns text --label-column label --dim 32 --layers 2 --heads 4 \
    --epochs 3 --seed 7 --threads 2 --checkpoint-every 5 --log-every 5 --resume --out "$1" >out 2>"${2:-err}" </dev/null
}
stop() {  # process, folder: SIGTERM once it has saved twice
  until [ "$(compgen -G "$2/checkpoint/step-*.safetensors" | wc -l)" = 2 ] || ! kill -0 "$1" 2>/dev/null; do sleep 0.01; done
  kill -TERM "$1"
  wait "$1"
}
stuck() {  # text of the message: refused with it, and the checkpoints as they were
  (long stopped) && fail "a run goes on in spite of: $1"
  [ "$(grep -c '^bf-train: ' err)" = 1 ] && grep -qF -- "$1" err || fail "instead of \"$1\": $(tail -n 2 err)"
  diff -r before stopped/checkpoint || fail "$1: the checkpoints are others than before"
}
(long whole-rows) || fail "a run on rows of our own ends with $?: $(tail -n 1 err)"
(long stopped) &
stop $! stopped
[ $? = 143 ] || fail "a run that is stopped does not end with 143: $(tail -n 1 err)"
cp -r stopped/checkpoint before
mv rows/train.jsonl rows/elsewhere
stuck 'rows: '
mv rows/elsewhere rows/train.jsonl
for split in train test; do
  mv rows/$split.jsonl rows/elsewhere
  sed '1s/"yes"/"no"/; t; 1s/"no"/"yes"/' rows/elsewhere >rows/$split.jsonl
  stuck 'stopped: was begun with other rows (data hash '
  mv rows/elsewhere rows/$split.jsonl
done
newest=$(ls -v before/*.safetensors | tail -n 1)
(ulimit -f $(($(stat -c %s "$newest") / 2048)) && stuck 'File too large'
 exit $failed) || failed=1
truncate -s -7 "stopped/checkpoint/${newest##*/}"
(long stopped) || fail "a run does not go on: $(tail -n 1 err)"
grep -qF 'the one before it is taken' err || fail "a cut checkpoint is passed over without a word"
cmp -s whole-rows/model.safetensors stopped/model.safetensors || fail "a run that was stopped ends with other weights"

# A pruned model that is trained on goes on from its checkpoint, too, and not from the model it was cut from.
pruned() { exec "$bin/bf-train" --prune-from whole --heads 2 --epochs 40 --dataset synthetic --rows 300 --threads 2 --checkpoint-every 2 \
  --resume --out "$1" >out 2>err </dev/null; }
(pruned pruned-whole) || fail "a pruned model cannot be trained on: $(tail -n 1 err)"
(pruned pruned-stopped) &
stop $! pruned-stopped
[ $? = 143 ] || fail "a pruned run that is stopped does not end with 143: $(tail -n 1 err)"
(pruned pruned-stopped) || fail "a pruned run does not go on: $(tail -n 1 err)"
grep -q 'goes on after step' err || fail "a pruned run begins again"
cmp -s pruned-whole/model.safetensors pruned-stopped/model.safetensors || fail "a pruned run that was stopped ends with other weights"

# Two at the same time: the second is told who is at work, and the first does not notice.
(long shared first) &
first=$!
until [ -s shared/lock ] || ! kill -0 $first 2>/dev/null; do sleep 0.01; done
(long shared) && fail "two runs work in one folder"
grep -qF "shared: is in use by process $first" err || fail "the second run in a folder says: $(tail -n 1 err)"
wait $first || fail "the first of two runs in a folder ends with $?: $(tail -n 1 first)"
cmp -s whole-rows/model.safetensors shared/model.safetensors || fail "a second run in its folder changes the first"

# Answers that cannot be written: said at the first one.
full() {  # command: its input has no end
  yes 'the red box' | timeout 20 "$@" >/dev/full 2>err
  local status=${PIPESTATUS[1]}
  [ $status = 1 ] || fail "'$*' on a full disk ends with $status"
  [ "$(cat err)" = "$(basename "$1"): cannot write to standard output" ] || fail "'$*' on a full disk says: $(tail -n 1 err)"
}
full "$bin/bf-predict" --model run
full "$bin/bf-evaluate" --model run --dataset synthetic --rows 300 --json
full "$bin/bf-data" --dataset synthetic --rows 300

# A folder that cannot be written, whoever asks.
"$bin/bf-train" "${tiny[@]}" --out /proc/run >out 2>err && fail "bf-train writes to /proc"
grep -qF 'bf-train: /proc/run: cannot make the folder' err || fail "bf-train --out /proc/run: $(tail -n 1 err)"
refuses 1 'save: "/proc/texts.jsonl": cannot create' "$bin/bf-evaluate" --model run --dataset synthetic --rows 300 --texts /proc/texts.jsonl

# The runs of a comparison end with it: asked to stop they save first, and they do not outlive it when it is killed.
grid=("$bin/bf-compare" --dataset synthetic --rows 1000 --dim 32 --layers 2 --heads 4 --epochs 8 --log-every 2 --threads 1 --jobs 2
  --resume --out)
trainings() {  # processes of bf-train in this folder
  local process
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/cwd" 2>/dev/null)" = "$PWD" ] && cat "$process/comm" 2>/dev/null
  done | grep -cx bf-train
}
for signal in TERM:143 INT:130 KILL:137; do
  # A job's SIGINT is ignored in a script; env takes that back.
  env --default-signal=INT "${grid[@]}" "grid-${signal%:*}" >out 2>err </dev/null &
  process=$!
  until [ -s "grid-${signal%:*}/synthetic-mha-seed1/metrics.jsonl" ] && [ -s "grid-${signal%:*}/synthetic-budget-seed1/metrics.jsonl" ] ||
    ! kill -0 $process 2>/dev/null; do sleep 0.01; done
  kill -"${signal%:*}" $process
  wait $process 2>/dev/null
  status=$?
  [ $status = "${signal#*:}" ] || fail "SIG${signal%:*} ends bf-compare with $status: $(tail -n 1 err)"
  if [ $status != 137 ]; then
    [ "$(trainings)" = 0 ] || fail "SIG${signal%:*}: bf-compare ends before the runs it started"
    [ "$(grep -c '^bf-compare: stopped' err)" = 1 ] || fail "SIG${signal%:*}: $(tail -n 3 err)"
  fi
  for ((i = 0; i < 500; ++i)); do [ "$(trainings)" = 0 ] && break || sleep 0.02; done
  [ "$(trainings)" = 0 ] || fail "SIG${signal%:*} to bf-compare leaves its runs behind"
done
works "${grid[@]}" grid-TERM
grep -q 'BudgetFormer' out || fail "bf-compare --resume prints no table"

[ $failed = 0 ] && echo "binaries: ok"
exit $failed
