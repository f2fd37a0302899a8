#include "autograd/variable.h"

#include <algorithm>
#include <utility>

#include "autograd/elementwise.h"
#include "tensor/gemm.h"
#include "tensor/kernels.h"
#include "tensor/require.h"

namespace bf {
void GradBuffer::require_not_released() const {
  require_state(state_->record != released,
                "backward: the tape of this result was already released; pass retain_tape = true "
                "to the first call");
}

void GradBuffer::add(const Tensor& g) const {
  if (!wanted()) return;
  require_not_released();
  require(g.shape() == state_->shape, "add_grad: gradient ", g.shape(),
          " does not have the shape of its variable ", state_->shape);
  Tensor& grad = state_->grad;
  if (!grad.defined()) {
    grad = g;
    return;
  }
  // A shared gradient may be somebody else's too (`add` hands one tensor to both inputs).
  Tensor sum = grad.unique() ? grad : Tensor(grad.shape());
  over_values(g.size(), Arrays{3}, [&](Index n, Index first) {
    add_row(n, grad.data() + first, g.data() + first, sum.data() + first);
  });
  grad = sum;
}

void GradBuffer::add_by(FunctionRef<void(Tensor& grad, Real beta)> write) const {
  if (!wanted()) return;
  require_not_released();
  Tensor& grad = state_->grad;
  if (grad.defined() && !grad.unique()) grad = grad.clone();
  const Real beta = grad.defined() ? 1 : 0;
  if (!grad.defined()) grad = Tensor(state_->shape);
  write(grad, beta);
}

Variable::Variable(Tensor value, bool needs_grad) : value_(std::move(value)) {
  if (needs_grad) set_needs_grad(true);
}

Tensor& Variable::mutable_value() {
  if (grad_.state_ != nullptr) {
    const std::lock_guard lock(grad_.state_->packing);
    grad_.state_->packed = nullptr;
  }
  return value_;
}

std::shared_ptr<const PackedMatrix> Variable::packed_transpose() const {
  const auto pack = [&] { return std::make_shared<const PackedMatrix>(ConstMatrix(value_).t()); };
  if (grad_.state_ == nullptr || grad_.state_->record != GradBuffer::leaf) return pack();
  GradBuffer::State& state = *grad_.state_;
  {
    const std::lock_guard lock(state.packing);
    if (state.packed != nullptr && state.packed_from == value_.data()) return state.packed;
  }
  // Not under the lock: packing runs on all threads, and one of them may come to wait for it.
  auto packed = pack();
  const std::lock_guard lock(state.packing);
  state.packed = packed;
  state.packed_from = value_.data();
  return packed;
}

void Variable::set_needs_grad(bool needs) {
  auto& state = grad_.state_;
  require_state(state == nullptr || state->record == GradBuffer::leaf,
                "set_needs_grad: only a leaf can be frozen; this is the result of an operation");
  if (state == nullptr) {
    if (!needs) return;
    state = std::make_shared<GradBuffer::State>();
    state->shape = value_.shape();
  }
  state->wanted = needs;
  state->grad = {};
}

const Tensor& Variable::grad() const {
  static const Tensor none;
  return needs_grad() ? grad_.state_->grad : none;
}

Tensor& Variable::mutable_grad() {
  require_state(needs_grad(), "grad: this variable does not need a gradient");
  Tensor& grad = grad_.state_->grad;
  if (grad.defined() && !grad.unique()) grad = grad.clone();
  return grad;
}

void Variable::zero_grad() {
  if (needs_grad()) grad_.state_->grad = {};
}

}  // namespace bf
