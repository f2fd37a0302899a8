#!/usr/bin/env bash
# Does the suite see small faults? Makes each change of tests/mutations.txt in a copy of the tree, one at a time, and runs the
# test programs until one fails: first the changed unit's own test file, then everything.
#   bash tests/mutate.sh [--results FILE [--continue]] [--jobs N] [WORD]    WORD: only changes whose file or description has it
# Takes about ten seconds for each change and job. Prints a line for each; exit 1 if fewer than 95 % are caught, or fewer than 60
# tried without a WORD. --continue keeps what FILE has of an interrupted run and tries the rest. --jobs N: N copies at the same
# time, each with a part of the changes.
set -u
cd "$(dirname "$0")/.."
results= only= known= jobs=1
while [ $# -gt 0 ]; do
  case $1 in
    --results) results=$(realpath -m "${2:?--results needs a file}"); shift ;;
    --continue) known=$(grep -E '^(caught|SURVIVES|does not compile) ' "$results") ;;
    --jobs)
      [[ ${2:-} =~ ^[1-9][0-9]?$ ]] || { echo "mutate: --jobs: expected 1 to 99, got \"${2:-}\"" >&2; exit 2; }
      jobs=$2
      shift ;;
    *) only=$1 ;;
  esac
  shift
done

list=$PWD/tests/mutations.txt
copies=$(realpath -m "${MUTANTS:-build-mutants}")
mkdir -p "$copies" || exit 1
results=${results:-$copies/results}
echo -n "${known:+$known
}" >"$results"
programs=(tests/tests-double tests/tests-float)
limit=300  # seconds that a test program may take
declare -A seconds  # that it takes without any change

# Goes to a copy of the tree, up to date and compiled, whose tests pass. It stays between runs, so that only what changed is
# compiled again.
enter_copy() {
  local copy=$1 program status
  git ls-files | while IFS= read -r file; do
    cmp -s "$file" "$copy/$file" || { mkdir -p "$copy/$(dirname "$file")" && cp "$file" "$copy/$file"; }
  done
  cd "$copy" || return 1
  [ -e build/build.ninja ] || meson setup build >setup.log || { cat setup.log; return 1; }
  ninja -C build binaries "${programs[@]}" >build.log || { tail -n 20 build.log; return 1; }
  cd build || return 1
  for program in "${programs[@]}"; do  # or every change would seem to be caught
    seconds[$program]=$SECONDS
    timeout $limit "$program" >../build.log 2>&1 ||
      { status=$?; tail -n 40 ../build.log; echo "mutate: $program ends with $status without any change"; return 1; }
    seconds[$program]=$((SECONDS - ${seconds[$program]}))
  done
}

# The name of the unit that FILE belongs to, as in tests/meson.build.
unit_of() { local unit; unit=$(basename "${1%.*}"); case $1 in nn/*) echo "nn_$unit" ;; *) echo "$unit" ;; esac }

# Puts the text in place of the one that occurs once in FILE.
change() {
  python3 - "$@" <<'PYTHON'
import sys
path, before, after = sys.argv[1:]
with open(path) as file: text = file.read()
if text.count(before) != 1: sys.exit(f"{path}: occurs {text.count(before)} times instead of once: {before}")
with open(path, "w") as file: file.write(text.replace(before, after))
PYTHON
}

# failing FILE: the first test case that fails, or nothing. A crash counts, too, and a test that does not end; not so on a machine
# where the unchanged program takes a third of the time it may have.
failing() {
  local program log unit arguments status
  unit=$(unit_of "$1")
  for arguments in "--source-file=*test_$unit.cpp" ""; do
    for program in "${programs[@]}"; do
      [[ $program == *double && $1 == train/* ]] && continue  # is not in it
      # shellcheck disable=SC2086
      log=$(timeout $limit "$program" --abort-after=1 $arguments 2>&1) && continue
      status=$?
      if [ $status = 124 ]; then
        [ $((3 * ${seconds[$program]})) -lt $limit ] || continue
        echo "$program does not end"
      else
        grep -A1 -m1 '^TEST CASE:' <<<"$log" | head -n 1 | sed 's/TEST CASE: *//' | grep . || echo "$program ends with $status"
      fi
      return
    done
  done
}

report() { echo "$*" | tee -a "$results"; }

# try_changes FIRST: every jobs-th change from the FIRST on, in a copy of its own.
try_changes() {
  local place=0 title before after file test_case
  enter_copy "$copies/$1" || return 1
  while IFS= read -r title <&3; do
    [[ $title == *' | '* && $title != '#'* ]] || continue
    IFS= read -r before <&3 && IFS= read -r after <&3
    [[ $title == *"$only"* ]] || continue
    [ $((place++ % jobs)) = $(($1 - 1)) ] || continue
    sed 's/$/ |/' <<<"$known" | grep -qF " | $title |" && continue
    file=../${title%% | *}
    cp -p "$file" ../original
    change "$file" "${before#- }" "${after#+ }" || return 1
    if ! ninja "${programs[@]}" >../build.log 2>&1; then
      report "does not compile | $title"
    else
      test_case=$(failing "${title%% | *}")
      if [ -n "$test_case" ]; then report "caught | $title | $test_case"; else report "SURVIVES | $title"; fi
    fi
    cp ../original "$file"  # with a new time, so that it is compiled again
  done 3<"$list"
  ninja "${programs[@]}" >../build.log 2>&1
}

workers=() status=0
trap 'kill "${workers[@]}" 2>/dev/null; exit 130' INT TERM
for ((job = 1; job <= jobs; ++job)); do
  try_changes $job &
  workers+=($!)
done
for worker in "${workers[@]}"; do wait "$worker" || status=1; done
[ $status = 0 ] || { echo "mutate: not all changes were tried"; exit 1; }
caught=$(grep -c '^caught |' "$results") count=$(grep -c '' "$results")
report "$caught of $count caught"
least=60
[ -z "$only" ] || least=1
[ "$count" -ge $least ] && [ $((100 * caught)) -ge $((95 * count)) ]
