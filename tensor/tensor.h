#pragma once

#include <memory>
#include <vector>

#include "tensor/shape.h"

namespace bf {

/// A contiguous, row-major array of `Real`. Copies are cheap and share the storage; `reshape` and
/// `rows` are views of it, and `clone` is the only way to a copy of the values. A default-made
/// tensor is undefined and holds nothing.
class Tensor {
 public:
  Tensor() = default;
  /// Values are undefined until written: zero-filling what the next write covers costs a pass.
  explicit Tensor(const Shape& shape);

  static Tensor zeros(const Shape& shape);
  static Tensor full(const Shape& shape, Real value);
  static Tensor scalar(Real value) { return full({}, value); }
  /// Throws std::invalid_argument if the number of values is not the size of the shape.
  static Tensor from(const Shape& shape, const std::vector<Real>& values);

  bool defined() const { return storage_ != nullptr; }
  const Shape& shape() const { return shape_; }
  Index rank() const { return shape_.rank(); }
  Index dim(Index axis) const { return shape_[axis]; }
  Index size() const { return defined() ? size_ : 0; }

  Real* data() { return data_; }
  const Real* data() const { return data_; }
  Real& operator[](Index element) { return data_[element]; }
  Real operator[](Index element) const { return data_[element]; }
  /// First value of a row of a tensor seen as [dim(0), size / dim(0)].
  Real* row(Index index) { return data_ + index * row_size(); }
  const Real* row(Index index) const { return data_ + index * row_size(); }
  /// Values per index of the first axis.
  Index row_size() const { return shape_.row_size(); }

  /// The only value. Throws std::invalid_argument unless size() is 1.
  Real item() const;
  /// The same values under another shape of the same size (else std::invalid_argument).
  Tensor reshape(const Shape& shape) const;
  /// Rows first .. first + count - 1 of the first axis, as a view.
  Tensor rows(Index first, Index count) const;
  Tensor clone() const;
  std::vector<Real> to_vector() const { return {data_, data_ + size()}; }

  void fill(Real value);
  /// Whether no other tensor shares the storage, so that writing in place disturbs nobody.
  bool unique() const { return storage_.use_count() == 1; }

 private:
  std::shared_ptr<Real> storage_;
  Real* data_ = nullptr;
  Index size_ = 0;
  Shape shape_;
};

}  // namespace bf
