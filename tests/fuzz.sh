#!/usr/bin/env bash
# The readers of files from outside under libFuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer (clang):
#   tests/fuzz.sh [--seconds N | --executions N] [--jobs N] [--results FILE] [TARGET]...
# A target is a file of tests/fuzz; its first inputs stand in tests/fuzz/corpus/TARGET and are part of every ordinary test run
# (tests/test_fuzz_corpus.cpp). What was found goes to build-fuzz/findings: mend it and keep the input in the corpus.
# Prints a table, a line as each target ends; exit code 1 when a target found something, 130 when interrupted. The long form:
#   tests/fuzz.sh --executions 10000000 --jobs 2 --results experiments/results/fuzz.txt
# It may be interrupted: targets that have a line without findings in FILE, of so many executions or more, are passed over the
# next time.
set -u
cd "$(dirname "$0")/.."
limit=-max_total_time=60
executions=0
jobs=1
results=
while [ $# -gt 1 ]; do
  case $1 in
    --seconds) limit=-max_total_time=$2 ;;
    --executions) limit=-runs=$2 executions=$2 ;;
    --jobs) jobs=$2 ;;
    --results) results=$2 ;;
    *) break ;;
  esac
  shift 2
done
all=(checkpoint clean config csv gzip jsonl lines model packages predict report safetensors study summary tar tokenizer)
targets=("$@")
[ $# = 0 ] && targets=("${all[@]}")
for target in "${targets[@]}"; do
  [[ " ${all[*]} " == *" $target "* ]] ||
    { echo "fuzz: usage: tests/fuzz.sh [--seconds N | --executions N] [--jobs N] [--results FILE] [TARGET]...; targets: ${all[*]}" >&2
      exit 2; }
done
build=${BUILD:-build}
out=build-fuzz
mkdir -p $out/findings $out/corpus
find_clang() {  # one that has the sanitizers' libraries and libFuzzer
  clang=${CLANG:-$(command -v clang++ || command -v clang++-14)} &&
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    "$clang" -fsanitize=fuzzer,address,undefined -x c++ - -o $out/probe 2>$out/probe.log
}
find_clang || { bash setup.sh clang >&2 && find_clang; } || {
  tail -n 3 $out/probe.log >&2
  echo "fuzz: needs clang++ with libFuzzer (Debian packages clang and libclang-rt-14-dev)" >&2
  exit 1
}

# What a target is about is compiled with clang and watched; the rest comes from the ordinary build.
text='tensor/printable train/encoding'
file="$text train/input_file train/text_file"
rows="$file train/rows train/clean_text"
json='tensor/printable nn/json_text'
tensors="$json nn/safetensors"
pages="$json $file experiments/chart experiments/html experiments/sample experiments/table"
units_of() {
  case $1 in
    checkpoint) echo "$tensors train/checkpoint train/report_from_json train/text_json" ;;
    clean) echo "$text train/clean_text train/words" ;;
    config) echo "$json train/model_builder" ;;
    csv) echo "$rows train/csv" ;;
    gzip) echo "$file" ;;
    jsonl) echo "$rows $json train/jsonl" ;;
    lines) echo "$rows train/labelled_lines train/csv train/catalog" ;;
    model) echo "$tensors train/run_folder train/model_builder train/tokenizer train/word_tokenizer" ;;
    packages) echo "$rows train/debian train/splits" ;;
    predict) echo "$json $text train/clean_text experiments/prediction_text experiments/html experiments/table" ;;
    report) echo "$pages experiments/run_record experiments/report_run experiments/report_texts" ;;
    safetensors) echo "$tensors" ;;
    study) echo "$pages experiments/run_record experiments/report_study experiments/study_charts experiments/study_findings \
      experiments/study_runs experiments/study_tables" ;;
    summary) echo "$json experiments/evaluation_text experiments/table train/report_from_json train/text_json" ;;
    tar) echo "$rows train/tar train/class_folders" ;;
    tokenizer) echo "$json $text train/clean_text train/words train/tokenizer train/word_tokenizer" ;;
  esac
}

[ -f "$build/build.ninja" ] || bash setup.sh >&2 || exit 1
libraries=()
for folder in options:experiments train:train budgetformer:budgetformer nn:nn autograd:autograd tensor:tensor; do
  libraries+=("${folder#*:}/lib${folder%:*}.a")
done
ninja -C "$build" "${libraries[@]}" >&2 || exit 1
{
  echo "builddir = $out
flags = -std=c++20 -O2 -gline-tables-only -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS -I. $
  -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all"
  echo "rule compile
  command = $(command -v ccache) $clang \$flags -fsanitize=fuzzer-no-link -fsanitize-coverage-ignorelist=tests/fuzz/unwatched.txt $
    \$define -MD -MF \$out.d -c \$in -o \$out
  deps = gcc
  depfile = \$out.d
rule link
  command = $clang \$flags -fsanitize=fuzzer \$in -Wl,--start-group ${libraries[*]/#/$build/} -Wl,--end-group $
    -lopenblas -ltbb -lhwy -lz -licuuc -licudata -lboost_program_options -o \$out"
  for target in "${all[@]}"; do
    units="tests/fuzz/fuzz tests/fuzz/$target $(units_of "$target" | tr ' ' '\n' | sort -u | tr '\n' ' ')"
    objects=$out/driver-$target.o
    echo "build $objects: compile tests/fuzz/driver.cpp
  define = -DBF_FUZZ_TARGET=$target"
    for unit in $units; do objects+=" $out/$unit.o"; done
    echo "build $out/fuzz-$target: link $objects | ${libraries[*]/#/$build/}"
  done
  for unit in $(for target in "${all[@]}"; do echo "tests/fuzz/fuzz tests/fuzz/$target $(units_of "$target")"; done |
    tr ' ' '\n' | grep . | sort -u); do
    echo "build $out/$unit.o: compile $unit.cpp"
  done
} >$out/build.ninja
ninja -f $out/build.ninja -j "${NINJA_JOBS:-2}" "${targets[@]/#/$out/fuzz-}" >&2 || exit 1

run() {  # target: a line of the table
  local target=$1 memory=512 block=64 length=1024 words=json log=$out/$1.log
  # A few short rows do what many do, and take less time; an archive has blocks of 512 bytes.
  [[ " csv gzip jsonl lines packages " == *" $target "* ]] && length=512
  [[ " checkpoint safetensors study " == *" $target "* ]] && length=2048
  [[ " summary tar " == *" $target "* ]] && length=4096
  # The tables of sinusoidal positions may have 256 MiB.
  [ $target = model ] && memory=1024 && block=300
  [[ " csv gzip lines packages tar " == *" $target "* ]] && words=rows
  mkdir -p $out/corpus/"$target"
  touch "$out/$target.begin"
  # Without a trace of every allocation, and with less freed memory kept from use, a run takes half the time.
  ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=4 \
    "$out/fuzz-$target" "$limit" -max_len=$length -timeout=10 -rss_limit_mb=$memory -malloc_limit_mb=$block -print_final_stats=1 \
    -dict=tests/fuzz/$words.dict -artifact_prefix=$out/findings/"$target"- $out/corpus/"$target" tests/fuzz/corpus/"$target" >"$log" 2>&1 &
  trap "kill $!; exit 130" TERM
  wait $!
  local status=$? findings
  findings=$(find $out/findings -name "$target-*" -newer "$out/$target.begin" | wc -l)
  [ $status = 0 ] || [ "$findings" -gt 0 ] || findings="exit code $status"
  printf '%-12s %12s %10s %8s %9s\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" "$(grep -oE 'corp: [0-9]+' "$log" | tail -n 1 | cut -c 7-)" "$findings" |
    tee -a "${results:-/dev/null}"
  [ $status = 0 ]
}
header=$(printf '%-12s %12s %10s %8s %9s' target executions 'per second' corpus findings)
echo "$header"
if [ -n "$results" ]; then
  [ -s "$results" ] || echo "$header" >"$results" || exit 1
  left=()
  for target in "${targets[@]}"; do
    # A line of a run that was bounded by time may have fewer executions.
    awk -v target="$target" -v wanted="$executions" '$1 == target && $NF == "0" && $2 + 0 >= wanted + 0 { print; found = 1 }
      END { exit !found }' "$results" && continue
    sed -i "/^$target /d" "$results"
    left+=("$target")
  done
  targets=("${left[@]}")
fi
[ ${#targets[@]} = 0 ] && exit 0
trap 'kill $(jobs -p) 2>/dev/null; wait; exit 130' INT TERM
status=0
for target in "${targets[@]}"; do
  [ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n || status=1
  run "$target" &
done
while [ -n "$(jobs -p)" ]; do wait -n || status=1; done
exit $status
