#include <doctest/doctest.h>

#include "tensor/segments.h"
#include "tests/values.h"

using namespace bf;

TEST_CASE("segments: offsets, lengths and the longest") {
  const Segments segments({3, 1, 5});
  CHECK(segments.count() == 3);
  CHECK(segments.tokens() == 9);
  CHECK(segments.longest() == 5);
  CHECK(segments.begin(1) == 3);
  CHECK(segments.end(1) == 4);
  CHECK(segments.length(2) == 5);
}

TEST_CASE("segments: an empty batch has no tokens") {
  CHECK(Segments().count() == 0);
  CHECK(Segments().tokens() == 0);
  CHECK(Segments().longest() == 0);
}

TEST_CASE("segments: a sequence of length 0 is refused by its position") {
  // The nearest that can be written to a softmax or a mean over nothing.
  CHECK(error_text<std::invalid_argument>([] {
          Segments({3, 0});
        }) == "segments: sequence 1 of 2 has length 0");
}
