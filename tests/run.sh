#!/usr/bin/env bash
# Everything that has to hold, from a clean checkout: sets up, compiles product and tests, runs the test programs in both
# precisions and the checks of the tree, the README and the binaries. Ends with "N passed, N failed"; exit 1 if any failed.
# An argument is a doctest filter for the two test programs alone: tests/run.sh 'softmax*'. With --ci come the checks of a change:
# format (where there is clang-format), and the readers of files and the kernels under AddressSanitizer. With --all come the slow
# checks too, which take hours: a hundred kills, sanitizers, clang, clang-tidy, coverage, the fuzzers for a minute each, and
# mutations.
set -u
cd "$(dirname "$0")/.."
export BUILD=${BUILD:-build}
all= ci=
case ${1:-} in
  --all) all=yes; shift ;;
  --ci) ci=yes; shift ;;
esac
passed=0
failed=0

bash setup.sh && ninja -C "$BUILD" tests/tests-float tests/tests-double || {
  echo "the build failed"
  echo "0 passed, 1 failed"
  exit 1
}

count() {  # cases passed, cases failed
  passed=$((passed + $1))
  failed=$((failed + $2))
}

doctest() {  # program, arguments: adds the test cases that doctest counts; no count at all, or no end in half an hour, is a failure
  local log
  log=$(mktemp)
  echo "== $*"
  timeout 1800 "$@" >"$log" 2>&1
  local status=$?
  local line
  line=$(grep 'test cases:' "$log" | tail -n 1)
  if [ -z "$line" ]; then
    count 0 1
    cat "$log"
    echo "$1 ended with exit code $status before it counted its test cases"
  else
    count "$(sed -E 's/.*\| *([0-9]+) passed.*/\1/' <<<"$line")" "$(sed -E 's/.*\| *([0-9]+) failed.*/\1/' <<<"$line")"
    [ $status = 0 ] && tail -n 4 "$log" || cat "$log"
    # A crash after the count, or a failure it does not know of.
    if [ $status != 0 ] && grep -q '| *0 failed' <<<"$line"; then count 0 1; fi
  fi
  rm -f "$log"
}

check() {  # a script: passes or fails as one
  echo "== $*"
  if "$@"; then count 1 0; else count 0 1; fi
}

formatted() { git ls-files '*.h' '*.cpp' | xargs clang-format --dry-run -Werror; }

doctest "$BUILD/tests/tests-float" ${1:+-tc="$1"}
doctest "$BUILD/tests/tests-double" ${1:+-tc="$1"}
if [ $# = 0 ]; then
  check bash tests/layering.sh
  check bash tests/binaries.sh
  check bash tests/kill.sh
  check bash tests/readme.sh
fi
if [ -n "$ci$all" ]; then ! command -v clang-format >/dev/null || check formatted; fi
if [ -n "$ci" ]; then check bash tests/checked_build.sh fast; fi
if [ -n "$all" ]; then
  check bash tests/kill.sh --moments 100
  for name in address thread clang tidy coverage; do check bash tests/checked_build.sh $name; done
  check bash tests/fuzz.sh --seconds 60 --jobs "$(nproc)"
  check bash tests/mutate.sh --jobs "$(nproc)"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
