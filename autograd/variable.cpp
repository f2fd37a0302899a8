#include "autograd/variable.h"

#include <algorithm>
#include <utility>

#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {
namespace {

constexpr Index block = 16384;

}  // namespace

void GradBuffer::add(const Tensor& g) const {
  require(g.shape() == state_->shape, "add_grad: gradient ", g.shape(),
          " does not have the shape of its variable ", state_->shape);
  Tensor& grad = state_->grad;
  if (!grad.defined()) {
    grad = g;
    return;
  }
  // A shared gradient may be somebody else's too (`add` hands one tensor to both inputs).
  Tensor sum = grad.unique() ? grad : Tensor(grad.shape());
  parallel_for(g.size(), block, [&](Index first, Index last) {
    add_row(last - first, grad.data() + first, g.data() + first, sum.data() + first);
  });
  grad = sum;
}

void GradBuffer::add_by(FunctionRef<void(Tensor& grad, Real beta)> write) const {
  Tensor& grad = state_->grad;
  if (grad.defined() && !grad.unique()) grad = grad.clone();
  const Real beta = grad.defined() ? 1 : 0;
  if (!grad.defined()) grad = Tensor(state_->shape);
  write(grad, beta);
}

Variable::Variable(Tensor value, bool needs_grad) : value_(std::move(value)) {
  if (needs_grad) set_needs_grad(true);
}

void Variable::set_needs_grad(bool needs) {
  require_state(!needs_grad() || grad_.state_->record == 0,
                "set_needs_grad: only a leaf can be frozen; this is the result of an operation");
  grad_.state_ = needs ? std::make_shared<GradBuffer::State>() : nullptr;
  if (needs) grad_.state_->shape = value_.shape();
}

const Tensor& Variable::grad() const {
  static const Tensor none;
  return needs_grad() ? grad_.state_->grad : none;
}

Tensor& Variable::mutable_grad() {
  require_state(needs_grad(), "grad: this variable does not need a gradient");
  return grad_.state_->grad;
}

void Variable::zero_grad() {
  if (needs_grad()) grad_.state_->grad = {};
}

}  // namespace bf
