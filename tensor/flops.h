#pragma once

#include <cstdint>

namespace bf {

/// Floating-point operations that the products of this process executed: counted inside gemm,
/// where they run, as 2 m n k each. Elementwise work is not counted, as in the paper.
struct Flops {
  std::uint64_t linear = 0;     ///< projections, feed-forward, classifier
  std::uint64_t attention = 0;  ///< the attention core: Q K^T and A V
  std::uint64_t total() const { return linear + attention; }
  Flops operator-(const Flops& earlier) const {
    return {linear - earlier.linear, attention - earlier.attention};
  }
};

enum class FlopKind { linear, attention };

/// The counts so far; take two and subtract.
Flops executed_flops();
void count_flops(FlopKind kind, std::uint64_t operations);

}  // namespace bf
