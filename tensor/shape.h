#pragma once

#include <array>
#include <initializer_list>
#include <iosfwd>

#include "tensor/real.h"

namespace bf {

/// Extents of a tensor, outermost first; rank 0 (a scalar) to 4. Printed as "[32, 64]".
class Shape {
 public:
  static constexpr Index max_rank = 4;

  Shape() = default;
  /// Throws std::invalid_argument for more than `max_rank` extents and for a number of elements
  /// that no memory holds.
  Shape(std::initializer_list<Index> extents);

  Index rank() const { return rank_; }
  /// Extent of one axis. Throws std::invalid_argument for an axis outside the rank.
  Index operator[](Index axis) const;
  /// Number of elements: the product of the extents, 1 for a scalar.
  Index size() const;
  /// Elements per index of the first axis: the product of the other extents.
  Index row_size() const;
  bool operator==(const Shape& other) const;

 private:
  std::array<Index, max_rank> extents_{};
  Index rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

}  // namespace bf
