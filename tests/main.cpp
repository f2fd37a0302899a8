#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tensor/allocator.h"
#include "tests/golden_folder.h"
#include "tests/units.h"

const char* const golden_folder = BF_GOLDEN;

/// Fresh tensors hold NaN in every test, so that an element nobody wrote shows.
int main(int argc, char** argv) {
  bf::poison_new_memory(true);
  return doctest::Context(argc, argv).run();
}
