#!/usr/bin/env bash
# Nothing includes a folder to its right in tensor <- autograd <- nn <- budgetformer <- train <- experiments, and the
# libraries behind one door are included there only: oneTBB, OpenBLAS, Highway; fast-math builds are refused. Exit 1 with the
# offending lines.
# An argument names another tree to look at (to see the check fail).
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2
folders=(tensor autograd nn budgetformer train experiments)
failed=0

complain() {  # what, lines
  [ -z "$2" ] && return
  printf 'layering: %s:\n%s\n' "$1" "$2"
  failed=1
}

for ((i = 0; i < ${#folders[@]}; ++i)); do
  for ((j = i + 1; j < ${#folders[@]}; ++j)); do
    complain "${folders[i]} includes ${folders[j]}, which stands above it" \
      "$(grep -rn "#include \"${folders[j]}/" "${folders[i]}" --include='*.h' --include='*.cpp')"
  done
  complain "${folders[i]} includes tests" \
    "$(grep -rn '#include "tests/' "${folders[i]}" --include='*.h' --include='*.cpp')"
done

only_in() {  # library, pattern, files that may
  complain "$1 is included outside $3" \
    "$(grep -rnE "#include <$2" "${folders[@]}" --include='*.h' --include='*.cpp' | grep -vE "^($3):")"
}
only_in oneTBB 'tbb/' 'tensor/parallel\.cpp'
only_in OpenBLAS '(cblas|openblas)' 'tensor/(gemm|openblas)\.cpp'
only_in Highway 'hwy/' 'tensor/(kernels|panels|random_words|tile_product)\.cpp|tensor/[a-z_]*-inl\.h'

# Two types of one name in namespace bf would link, and one of them would be used for the other.
complain "a type is defined in two headers" \
  "$(find "${folders[@]}" -name '*.h' -exec grep -hoE '^(struct|class) [A-Z][A-Za-z]+ *[:{]' {} + |
    grep -oE '[A-Z][A-Za-z]+' | sort | uniq -d)"

# A compiler that may assume that there is no NaN would take out what looks for one.
compiles() { echo '#include "tensor/real.h"' | ${CXX:-c++} -std=c++20 "$1" -I. -fsyntax-only -x c++ - 2>/dev/null; }
for flag in -ffast-math -Ofast -ffinite-math-only; do
  compiles $flag && complain "tensor/real.h lets a build pass" $flag
done
compiles -O3 || complain "tensor/real.h refuses a build" -O3

[ $failed = 0 ] && echo "layering: ok"
exit $failed
