#include "tensor/tensor.h"

#include <algorithm>

#include "tensor/allocator.h"
#include "tensor/require.h"

namespace bf {

Tensor::Tensor(const Shape& shape)
    : storage_(allocate(shape.size())), data_(storage_.get()), size_(shape.size()), shape_(shape) {}

Tensor Tensor::zeros(const Shape& shape) { return full(shape, 0); }

Tensor Tensor::full(const Shape& shape, Real value) {
  Tensor result(shape);
  result.fill(value);
  return result;
}

Tensor Tensor::from(const Shape& shape, const std::vector<Real>& values) {
  require(values.size() == shape.size(), "tensor: ", values.size(), " values do not fill ", shape,
          " (", shape.size(), " elements)");
  Tensor result(shape);
  std::copy(values.begin(), values.end(), result.data_);
  return result;
}

Real Tensor::item() const {
  require(size() == 1, "item: expected one value, got ", shape_);
  return data_[0];
}

Tensor Tensor::reshape(const Shape& shape) const {
  require(shape.size() == size(), "reshape: cannot view ", shape_, " (", size(), " elements) as ",
          shape, " (", shape.size(), " elements)");
  Tensor view = *this;
  view.shape_ = shape;
  return view;
}

Tensor Tensor::rows(Index first, Index count) const {
  require(rank() >= 1 && first <= dim(0) && count <= dim(0) - first, "rows: ", first, " to ",
          first + count, " are outside ", shape_);
  Tensor view = *this;
  view.data_ += first * row_size();
  view.size_ = count * row_size();
  switch (rank()) {
    case 1:
      view.shape_ = {count};
      break;
    case 2:
      view.shape_ = {count, dim(1)};
      break;
    case 3:
      view.shape_ = {count, dim(1), dim(2)};
      break;
    default:
      view.shape_ = {count, dim(1), dim(2), dim(3)};
      break;
  }
  return view;
}

Tensor Tensor::clone() const {
  if (!defined()) return {};
  Tensor copy(shape_);
  std::copy_n(data_, size_, copy.data_);
  return copy;
}

void Tensor::fill(Real value) { std::fill_n(data_, size_, value); }

}  // namespace bf
