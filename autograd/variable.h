#pragma once

#include <memory>
#include <mutex>

#include "tensor/parallel.h"
#include "tensor/tensor.h"

namespace bf {

class PackedMatrix;

/// Where the gradient of one variable is gathered. An operation's backward captures the buffers of
/// its inputs, and the values it needs besides: its capture list is the list of what is saved.
class GradBuffer {
 public:
  GradBuffer() = default;

  /// Whether anybody wants this gradient; if not, computing it is wasted work.
  bool wanted() const { return state_ != nullptr && state_->wanted; }
  /// Adds g; nothing happens if it is not wanted. The first gradient to arrive is kept without a
  /// copy. Throws std::invalid_argument if its shape is not the variable's, and std::logic_error
  /// if the operation that made the variable has been released, so that g would be lost.
  void add(const Tensor& g) const;
  /// Calls write(grad, beta), which has to do grad = beta grad + (the new gradient); beta is 0 when
  /// grad is fresh and undefined, so that a product goes straight into its place.
  void add_by(FunctionRef<void(Tensor& grad, Real beta)> write) const;

 private:
  friend class Variable;
  friend class Tape;
  static constexpr std::uint64_t leaf = 0, released = ~std::uint64_t{0};
  struct State {
    Tensor grad;
    Shape shape;
    std::uint64_t record = leaf;  ///< of the operation that made the variable
    bool wanted = true;           ///< false while frozen
    std::mutex packing;           ///< guards the next two: several threads may use one model
    std::shared_ptr<const PackedMatrix> packed;
    const Real* packed_from = nullptr;  ///< the values that `packed` was made of
  };
  void require_not_released() const;

  std::shared_ptr<State> state_;
};

/// A value in a computation. Copies are cheap and mean the same variable. A leaf with
/// `needs_grad` (a parameter) gathers its gradient over backward() calls until zero_grad().
class Variable {
 public:
  Variable() = default;
  explicit Variable(Tensor value, bool needs_grad = false);

  const Tensor& value() const { return value_; }
  /// For optimizers and loaders: writing here while a tape still needs the value spoils gradients.
  /// To be called again for each change: it drops what packed_transpose() keeps.
  Tensor& mutable_value();
  /// The transpose of the value, a matrix, ready for products without a tape. A leaf that may need
  /// a gradient (a parameter) keeps it until the next mutable_value(); another variable that shares
  /// the storage must not be written meanwhile.
  std::shared_ptr<const PackedMatrix> packed_transpose() const;
  const Shape& shape() const { return value_.shape(); }
  Index rank() const { return value_.rank(); }
  Index dim(Index axis) const { return value_.dim(axis); }
  Real item() const { return value_.item(); }

  bool defined() const { return value_.defined(); }
  bool needs_grad() const { return grad_.wanted(); }
  /// Freezes (false) or unfreezes a leaf and all its copies; its gradient is dropped. (A variable
  /// made without `needs_grad` has nothing to share: copies taken before stay as they were.)
  /// Throws std::logic_error on the result of an operation.
  void set_needs_grad(bool needs);
  /// The gradient gathered so far; undefined if none has arrived.
  const Tensor& grad() const;
  /// For clipping: the gradient as this variable's own (a copy is made if the values are shared).
  Tensor& mutable_grad();
  void zero_grad();
  const GradBuffer& grad_buffer() const { return grad_; }

  /// The same value, cut off from the tape: what is computed from it gives no gradient back.
  Variable detach() const { return Variable(value_); }

 private:
  friend class Tape;
  Tensor value_;
  GradBuffer grad_;
};

}  // namespace bf
