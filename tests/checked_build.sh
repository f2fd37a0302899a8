#!/usr/bin/env bash
# The suite once more, built in ways that see what the usual build does not. Each has its own build folder.
#   bash tests/checked_build.sh fast|address|thread|clang|tidy|coverage...
#
#   fast        AddressSanitizer (leaks too) and UndefinedBehaviorSanitizer over the readers of files and the kernels alone;
#               the rest comes from the ordinary build (tests-fast in tests/meson.build)
#   address     the same over everything: both test programs, and the binaries (tests/binaries.sh)
#   thread      ThreadSanitizer: the test files that use threads
#   clang       clang++, warnings as errors: everything, both test programs
#   tidy        clang-tidy over the libraries and the binaries
#   coverage    the lines of the libraries that the test programs reach: at least 90 %
#
# Prints "NAME: ok" or what is wrong; exit 1 if anything is.
set -u
cd "$(dirname "$0")/.."
failed=0

# build NAME PROGRAMS [MESON OPTION...]: configures and compiles build-NAME. A folder of other options is made anew.
build() {
  local folder=build-$1 programs=$2
  local log=$folder/log
  shift 2
  [ "$(cat "$folder/options" 2>/dev/null)" = "${CXX:-} $*" ] || rm -rf "$folder"
  mkdir -p "$folder"
  [ -e "$folder/build.ninja" ] || meson setup "$folder" "$@" >"$log" || { cat "$log"; return 1; }
  echo "${CXX:-} $*" >"$folder/options"
  # shellcheck disable=SC2086
  [ -z "$programs" ] || ninja -C "$folder" $programs >"$log" || { tail -n 40 "$log"; return 1; }
}

# suite NAME [ARGUMENT...]: both test programs of build-NAME; what they print only if one fails. Two hours without an end: it hangs.
suite() {
  local folder=build-$1 program
  local log=$folder/log
  shift
  for program in float double; do
    timeout 7200 "$folder/tests/tests-$program" "$@" >"$log" 2>&1 || { tail -n 60 "$log"; return 1; }
    grep 'test cases:' "$log"
  done
}

both='tests/tests-float tests/tests-double'
# Of debug information only the line numbers. g++ 12 warns falsely about what it instruments (variables that may not be set), so
# warnings are no errors here.
instrumented=(-Ddebug=false -Doptimization=1 -Dwerror=false -Db_lundef=false)
# A small quarantine: test_evaluate.cpp wants memory to stay, also while freed memory is kept from use.
export ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1:quarantine_size_mb=16

check_fast() {
  local folder=${BUILD:-build}
  bash setup.sh >&2 && ninja -C "$folder" tests/tests-fast >&2 && "$folder/tests/tests-fast"
}

check_address() {
  # Optimised, or the suite takes an hour; assertions of the standard library too.
  build address "all $both" "${instrumented[@]}" -Db_sanitize=address,undefined \
    -Dcpp_args='-g1 -D_GLIBCXX_ASSERTIONS -fno-sanitize-recover=all' -Dcpp_link_args=-fno-sanitize-recover=all &&
    suite address && BUILD=build-address bash tests/binaries.sh
}

check_thread() {
  local files log=build-thread/race.log
  files=$(grep -lE 'ThreadsGuard|set_threads|same_bits|std::thread|parallel_for' tests/test_*.cpp | sed 's|.*/|*|' | paste -sd,)
  export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp second_deadlock_stack=1 allocator_may_return_null=1"
  build thread "$both tests/tsan-race" "${instrumented[@]}" -Db_sanitize=thread -Dcpp_args=-g1 || return 1
  # A check that sees no race in a parallel_for body would pass whatever we do.
  if build-thread/tests/tsan-race >"$log" 2>&1 || ! grep -q '^SUMMARY: ThreadSanitizer: data race .*tsan_race.cpp' "$log"; then
    echo "the race of tests/tsan_race.cpp is not reported:"
    cat "$log"
    return 1
  fi
  suite thread --source-file="$files"
}

check_clang() {
  CC=clang CXX=clang++ build clang "all $both" && suite clang
}

check_tidy() {
  CC=clang CXX=clang++ build clang '' || return 1  # configured: the compile commands are all it needs
  git ls-files 'tensor/*.cpp' 'autograd/*.cpp' 'nn/*.cpp' 'budgetformer/*.cpp' 'train/*.cpp' 'experiments/*.cpp' |
    xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build-clang 2> >(grep -v ' warnings generated\.$' >&2)
}

check_coverage() {
  # Counted by several threads, hence atomic.
  build coverage "$both experiments/bf-train" -Db_coverage=true -Dbuildtype=debug -Doptimization=1 -Dwerror=false \
    -Dcpp_args=-fprofile-update=atomic && find build-coverage -name '*.gcda' -delete &&
    suite coverage && gcovr --root . --object-directory build-coverage --exclude-throw-branches \
    --filter '(tensor|autograd|nn|budgetformer|train)/' --fail-under-line 90 --print-summary >build-coverage/summary
  local status=$?
  grep '^lines:' build-coverage/summary
  return $status
}

usage() { echo "checked_build: ${1:-}expected fast, address, thread, clang, tidy or coverage"; exit 2; }
[ $# -gt 0 ] || usage
needed=()
for name in "$@"; do
  case $name in
    fast | address | thread) ;;
    clang) needed+=(clang) ;;
    tidy) needed+=(clang clang-tidy) ;;
    coverage) needed+=(gcovr) ;;
    *) usage "$name: " ;;
  esac
done
bash setup.sh ${needed[@]+"${needed[@]}"} >/dev/null || exit 1
for name in "$@"; do
  if "check_$name"; then echo "$name: ok"; else echo "$name: FAILED"; failed=1; fi
done
exit $failed
