#!/usr/bin/env bash
# The README tells the truth: its example code is the code that is compiled, every option it uses exists, every file it names
# is there, its line counts are right, and the commands between <!-- run --> marks work as written.
set -u
cd "$(dirname "$0")/.."
build=${BUILD:-build}
failed=0
fail() {
  echo "readme: $*"
  failed=1
}

# Example code: a block that starts with "// PATH" equals that file.
python3 - <<'PY' || failed=1
import pathlib, re, sys
text = pathlib.Path("README.md").read_text()
bad = 0
blocks = re.findall(r"```cpp\n// (\S+)\n(.*?)```", text, re.S)
for path, code in blocks:
    if pathlib.Path(path).read_text().strip() != code.strip():
        print(f"readme: the block for {path} is not what the file holds")
        bad = 1
if len(blocks) < 2:
    print(f"readme: expected the worked example of an operation and a layer, found {len(blocks)} blocks")
    bad = 1
for path, lines in re.findall(r"`([\w/.-]+\.(?:cpp|h))`[^|\n]*\| *(\d+)", text):
    have = len(pathlib.Path(path).read_text().splitlines())
    if have != int(lines):
        print(f"readme: {path} has {have} lines, not {lines}")
        bad = 1
for path in re.findall(r"`((?:tensor|autograd|nn|budgetformer|train|tests|experiments)/[\w/.-]*\w)`", text):
    if not pathlib.Path(path).exists():
        print(f"readme: {path} does not exist")
        bad = 1
sys.exit(bad)
PY

# Options: each --word behind a binary's name is in its --help.
while IFS= read -r line; do
  binary=$(grep -oE 'bf-[a-z]+' <<<"$line" | head -n 1)
  help=$("$build/experiments/$binary" --help) || { fail "$binary --help fails"; continue; }
  for option in $(sed "s/.*$binary//" <<<"$line" | grep -oE -- '--[a-z][a-z-]*'); do
    grep -qE -- "(^|[[:space:]])$option([[:space:]]|$)" <<<"$help" || fail "$binary has no option $option"
  done
done < <(sed -n '/^```sh/,/^```/p' README.md | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' | grep 'experiments/bf-')

# Commands that need no data run as they stand, in a folder of their own.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s "$(realpath "$build")" "$scratch/build"
ran=0
while IFS= read -r line; do
  ran=$((ran + 1))
  (cd "$scratch" && mkdir -p runs && eval "$line" >out 2>err) || fail "'$line' fails: $(tail -n 1 "$scratch/err")"
done < <(awk '/<!-- run -->/{on=1} on && /^```/{fence=!fence; if(!fence) on=0; next} on && fence' README.md)

[ $ran -gt 0 ] || fail "no command stands behind a <!-- run --> mark"
grep -nE '^[A-Z_]{5,}$' README.md && fail "an unfilled place is left"
[ $failed = 0 ] && echo "readme: ok"
exit $failed
