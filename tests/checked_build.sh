#!/usr/bin/env bash
# The suite once more, built in ways that see what the usual build does not. Each has its own build folder.
#   bash tests/checked_build.sh address|thread|clang|tidy|coverage...
#
#   address     AddressSanitizer (leaks too) and UndefinedBehaviorSanitizer: both test programs
#   thread      ThreadSanitizer: the test cases that set the number of threads
#   clang       clang++, warnings as errors: everything, both test programs
#   tidy        clang-tidy over the libraries and the binaries
#   coverage    the lines of the libraries that the test programs reach: at least 90 %
#
# Prints "NAME: ok" or what is wrong; exit 1 if anything is.
set -u
cd "$(dirname "$0")/.."
failed=0

# build NAME PROGRAMS [MESON OPTION...]: configures and compiles build-NAME.
build() {
  local folder=build-$1 programs=$2
  local log=$folder/log
  shift 2
  mkdir -p "$folder"
  [ -e "$folder/build.ninja" ] || meson setup "$folder" "$@" >"$log" || { cat "$log"; return 1; }
  # shellcheck disable=SC2086
  [ -z "$programs" ] || ninja -C "$folder" $programs >"$log" || { tail -n 40 "$log"; return 1; }
}

# suite NAME [ARGUMENT...]: both test programs of build-NAME; what they print only if one fails.
suite() {
  local folder=build-$1 program
  local log=$folder/log
  shift
  for program in float double; do
    "$folder/tests/tests-$program" "$@" >"$log" 2>&1 || { tail -n 60 "$log"; return 1; }
    grep 'test cases:' "$log"
  done
}

both='tests/tests-float tests/tests-double'

check_address() {
  # Optimised, or the suite takes an hour; assertions of the standard library too.
  build address "$both" -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debugoptimized \
    -Dcpp_args='-D_GLIBCXX_ASSERTIONS -fno-sanitize-recover=all' -Dcpp_link_args=-fno-sanitize-recover=all &&
    ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1 suite address
}

check_thread() {
  local files
  files=$(grep -lE 'set_threads|same_bits' tests/test_*.cpp | sed 's|.*/|*|' | paste -sd,)
  build thread "$both" -Db_sanitize=thread -Db_lundef=false -Dbuildtype=debugoptimized &&
    TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp second_deadlock_stack=1" suite thread --source-file="$files"
}

check_clang() {
  CC=clang CXX=clang++ build clang "all $both" && suite clang
}

check_tidy() {
  CC=clang CXX=clang++ build clang '' || return 1  # configured: the compile commands are all it needs
  git ls-files 'tensor/*.cpp' 'autograd/*.cpp' 'nn/*.cpp' 'budgetformer/*.cpp' 'train/*.cpp' 'experiments/*.cpp' |
    xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build-clang
}

check_coverage() {
  build coverage "$both" -Db_coverage=true -Dbuildtype=debug -Doptimization=1 && find build-coverage -name '*.gcda' -delete &&
    suite coverage && gcovr --root . --object-directory build-coverage --exclude-throw-branches \
    --filter '(tensor|autograd|nn|budgetformer|train)/' --fail-under-line 90 --print-summary >build-coverage/summary
  local status=$?
  grep '^lines:' build-coverage/summary
  return $status
}

[ $# -gt 0 ] || { echo "checked_build: expected address, thread, clang, tidy or coverage"; exit 2; }
bash setup.sh clang clang-tidy gcovr >/dev/null || exit 1
for name in "$@"; do
  case $name in
    address | thread | clang | tidy | coverage) ;;
    *) echo "checked_build: $name: expected address, thread, clang, tidy or coverage"; exit 2 ;;
  esac
  if "check_$name"; then echo "$name: ok"; else echo "$name: FAILED"; failed=1; fi
done
exit $failed
