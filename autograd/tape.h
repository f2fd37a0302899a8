#pragma once

#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <vector>

#include "autograd/variable.h"

namespace bf {

/// Receives dL/d(output) and adds to the gradient buffers of the inputs.
using Backward = std::function<void(const Tensor& g)>;

/// Ends an operation: makes its value a variable and puts `backward` on the tape if any input needs
/// a gradient. `operation` is its name in messages and has to outlive the tape (a literal).
///
/// The tape is a vector of records in creation order, one for each thread that computes. Creation
/// order is already a topological order, so backward() walks the vector from the end: no graph
/// search, no recursion.
Variable record(const char* operation, Tensor value, std::initializer_list<Variable> inputs,
                Backward backward);
Variable record(const char* operation, Tensor value, const std::vector<Variable>& inputs,
                Backward backward);

/// Adds dL/dv to the gradient of every leaf v that `output` was computed from. `gradient` is
/// dL/d(output); without one, output has to hold a single value, and 1 is used.
/// Each record is released as soon as it has run, unless `retain_tape`.
/// Throws std::invalid_argument when the gradient is missing or has another shape, and
/// std::logic_error when the output depends on no leaf or its records are gone.
void backward(const Variable& output, const Tensor& gradient = {}, bool retain_tape = false);

/// Records of this thread's tape. Those that no variable can reach any more are dropped first.
Index tape_length();

/// Whether operations are recorded on this thread.
bool recording();

/// While one lives, nothing is recorded on this thread: for evaluation.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

struct AnomalyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// While one lives, every operation's output and every gradient it hands back is checked on this
/// thread, and the first that is not finite throws AnomalyError naming the operation:
///   "anomaly: softmax: output [4, 8] has nan at element 3"
///   "anomaly: log_softmax: gradient of input 0 [4, 8] has inf at element 0"
class AnomalyMode {
 public:
  AnomalyMode();
  ~AnomalyMode();
  AnomalyMode(const AnomalyMode&) = delete;
  AnomalyMode& operator=(const AnomalyMode&) = delete;

 private:
  bool before_;
};

}  // namespace bf
