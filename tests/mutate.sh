#!/usr/bin/env bash
# Does the suite see small faults? Makes each change of tests/mutations.txt in a copy of the tree, one at a time, and runs the
# test programs until one fails: first the changed unit's own test file, then everything.
#   bash tests/mutate.sh [--results FILE [--continue]] [--share I/N] [WORD]    WORD: only changes whose file or description has it
# Takes about half a minute for each change on 2 cores. Prints a line for each; exit 1 if fewer than 95 % are caught. --continue
# keeps what FILE has of an interrupted run and tries the rest. --share 1/2 tries every second change from the first on: two shares
# at the same time, each with its own MUTANTS (the folder of the copy) and FILE, fill two cores; --continue with both FILEs in one
# sums them up.
set -u
cd "$(dirname "$0")/.."
results= only= known= first=1 step=1
while [ $# -gt 0 ]; do
  case $1 in
    --results) results=$(realpath -m "${2:?--results needs a file}"); shift ;;
    --continue) known=$(grep -E '^(caught|SURVIVES|does not compile) ' "$results") ;;
    --share)
      [[ ${2:-} =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] && [ "${BASH_REMATCH[1]}" -le "${BASH_REMATCH[2]}" ] ||
        { echo "mutate: --share: expected I/N, got \"${2:-}\"" >&2; exit 2; }
      first=${BASH_REMATCH[1]} step=${BASH_REMATCH[2]}
      shift ;;
    *) only=$1 ;;
  esac
  shift
done

# The copy stays between runs, so that only what changed is compiled again.
copy=$(realpath -m "${MUTANTS:-build-mutants}")
list=$PWD/tests/mutations.txt
git ls-files | while IFS= read -r file; do
  cmp -s "$file" "$copy/$file" || { mkdir -p "$copy/$(dirname "$file")" && cp "$file" "$copy/$file"; }
done
cd "$copy" || exit 1
[ -e build/build.ninja ] || meson setup build >setup.log || { cat setup.log; exit 1; }
programs=(tests/tests-double tests/tests-float)
ninja -C build binaries "${programs[@]}" >build.log || { tail -n 20 build.log; exit 1; }
cd build || exit 1
limit=300  # seconds that a test program may take
declare -A seconds  # that it takes without any change
for program in "${programs[@]}"; do  # or every change would seem to be caught
  seconds[$program]=$SECONDS
  timeout $limit "$program" >../build.log 2>&1 ||
    { status=$?; tail -n 40 ../build.log; echo "mutate: $program ends with $status without any change"; exit 1; }
  seconds[$program]=$((SECONDS - ${seconds[$program]}))
done

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

caught=0 count=0 place=0
report() { echo "$*"; [ -z "$results" ] || echo "$*" >>"$results"; }
[ -z "$results" ] || echo -n "${known:+$known
}" >"$results"
while IFS= read -r title <&3; do
  [[ $title == *' | '* && $title != '#'* ]] || continue
  IFS= read -r before <&3 && IFS= read -r after <&3
  [[ $title == *"$only"* ]] || continue
  place=$((place + 1))
  [ $((place % step)) = $((first % step)) ] || continue
  file=../${title%% | *}
  if line=$(sed 's/$/ |/' <<<"$known" | grep -F " | $title |"); then
    count=$((count + 1))
    [[ $line == caught* ]] && caught=$((caught + 1))
    continue
  fi
  cp -p "$file" ../original
  change "$file" "${before#- }" "${after#+ }" || exit 1
  count=$((count + 1))
  if ! ninja "${programs[@]}" >../build.log 2>&1; then
    test_case= && report "does not compile | $title"
  else
    test_case=$(failing "${title%% | *}")
    [ -z "$test_case" ] && report "SURVIVES | $title"
  fi
  [ -n "$test_case" ] && caught=$((caught + 1)) && report "caught | $title | $test_case"
  cp ../original "$file"  # with a new time, so that it is compiled again
done 3<"$list"
ninja "${programs[@]}" >../build.log 2>&1
report "$caught of $count caught"
[ $count -gt 0 ] && [ $((100 * caught)) -ge $((95 * count)) ]
