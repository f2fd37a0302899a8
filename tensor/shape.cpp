#include "tensor/shape.h"

#include <algorithm>
#include <limits>
#include <ostream>

#include "tensor/require.h"

namespace bf {

Shape::Shape(std::initializer_list<Index> extents) : rank_(extents.size()) {
  require(extents.size() <= max_rank, "shape: rank ", extents.size(), " exceeds ", max_rank);
  std::copy(extents.begin(), extents.end(), extents_.begin());
  // size() must not wrap around: a damaged file could otherwise ask for a tiny block and fill a
  // huge one.
  Index largest = std::numeric_limits<Index>::max() / sizeof(double);
  const bool empty = std::find(extents.begin(), extents.end(), Index{0}) != extents.end();
  for (const Index extent : extents) {
    require(empty || extent <= largest, "shape: ", *this,
            " has more elements than memory can hold");
    if (extent > 0) largest /= extent;
  }
}

Index Shape::operator[](Index axis) const {
  require(axis < rank_, "shape: axis ", axis, " is outside ", *this, " of rank ", rank_);
  return extents_[axis];
}

Index Shape::size() const {
  Index product = 1;
  for (Index axis = 0; axis < rank_; ++axis) product *= extents_[axis];
  return product;
}

Index Shape::row_size() const {
  Index product = 1;
  for (Index axis = 1; axis < rank_; ++axis) product *= extents_[axis];
  return product;
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ &&
         std::equal(extents_.begin(), extents_.begin() + rank_, other.extents_.begin());
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (Index axis = 0; axis < shape.rank(); ++axis) out << (axis ? ", " : "") << shape[axis];
  return out << ']';
}

}  // namespace bf
