#include "autograd/tape.h"

#include <algorithm>
#include <utility>

#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/require.h"

namespace bf {

class Tape {
 public:
  bool recording = true;
  bool anomaly = false;

  Variable record(const char* operation, Tensor value, std::vector<Variable> inputs,
                  Backward backward) {
    if (anomaly) check_finite(value, operation, "output");
    Variable output(std::move(value), true);
    output.grad_.state_->record = ++last_id_;
    if (records_.size() >= prune_at_) prune();
    // The inputs themselves are only needed to look at their gradients.
    if (!anomaly) inputs.clear();
    records_.push_back({operation, last_id_, output.grad_.state_, std::move(inputs),
                        std::move(backward), ProfileScope::current()});
    return output;
  }

  void run(const Variable& output, const Tensor& gradient, bool retain) {
    const auto& state = output.grad_.state_;
    if (state->record == GradBuffer::leaf) return output.grad_.add(gradient);
    output.grad_.require_not_released();
    const auto last =
        std::lower_bound(records_.begin(), records_.end(), state->record,
                         [](const Record& record, std::uint64_t id) { return record.id < id; });
    require_state(last != records_.end() && last->id == state->record,
                  "backward: this result was recorded by another thread");
    output.grad_.add(gradient);
    try {
      for (auto record = last + 1; record != records_.begin();) run(*--record, retain);
    } catch (...) {  // half-made gradients must not reach the next call
      for (auto record = records_.begin(); record != last + 1; ++record) {
        if (record->output) record->output->grad = {};
      }
      drop_released();
      throw;
    }
    drop_released();
  }

  void prune() {
    for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
      if (record->output.use_count() == 1) record->release();
    }
    drop_released();
  }

  Index length() {
    prune();
    return records_.size();
  }

  void check_finite(const Tensor& values, const char* operation, const std::string& what) const {
    const std::string fault = non_finite_text(values);
    if (fault.empty()) return;
    throw AnomalyError(join_parts("anomaly: ", operation, ": ", what, ' ', fault));
  }

 private:
  struct Record {
    const char* operation;
    std::uint64_t id;
    std::shared_ptr<GradBuffer::State> output;
    std::vector<Variable> inputs;
    Backward backward;
    WorkKind work;  ///< that the forward was part of, and so the backward is

    void release() {
      output->record = GradBuffer::released;
      backward = nullptr;
      inputs.clear();
      output.reset();
    }
  };

  void run(Record& record, bool retain) {
    // A record that only the tape knows can never be asked for: its result has gone. Later records
    // that used it have been visited before.
    if (!record.output->grad.defined()) {
      if (record.output.use_count() == 1) record.release();
      return;
    }
    const Tensor g = std::exchange(record.output->grad, {});
    {
      const ProfileScope scope(record.work);
      record.backward(g);
    }
    for (Index i = 0; i < record.inputs.size(); ++i) {
      check_finite(record.inputs[i].grad(), record.operation,
                   "gradient of input " + std::to_string(i));
    }
    if (!retain) record.release();
  }

  void drop_released() {
    std::erase_if(records_, [](const Record& r) { return !r.output; });
    prune_at_ = std::max(least_prune, 2 * records_.size());
  }

  /// Unreachable records are looked for when this many have been added: often enough to hold
  /// little, seldom enough to cost nothing.
  static constexpr Index least_prune = 1024;

  std::vector<Record> records_;
  std::uint64_t last_id_ = 0;
  Index prune_at_ = least_prune;
};

namespace {

Tape& tape() {
  thread_local Tape instance;
  return instance;
}

template <typename Inputs>
Variable record_any(const char* operation, Tensor value, const Inputs& inputs,
                    Backward&& backward) {
  const bool wanted =
      tape().recording &&
      std::any_of(inputs.begin(), inputs.end(), [](const Variable& v) { return v.needs_grad(); });
  if (!wanted) {
    if (tape().anomaly) tape().check_finite(value, operation, "output");
    return Variable(std::move(value));
  }
  return tape().record(operation, std::move(value), inputs, std::move(backward));
}

}  // namespace

Variable record(const char* operation, Tensor value, std::initializer_list<Variable> inputs,
                Backward backward) {
  return record_any(operation, std::move(value), inputs, std::move(backward));
}

Variable record(const char* operation, Tensor value, const std::vector<Variable>& inputs,
                Backward backward) {
  return record_any(operation, std::move(value), inputs, std::move(backward));
}

void backward(const Variable& output, const Tensor& gradient, bool retain_tape) {
  require_state(output.needs_grad(),
                "backward: the output depends on nothing that needs a gradient");
  require(gradient.defined() || output.value().size() == 1, "backward: output has shape ",
          output.shape(), "; pass a gradient of that shape or reduce to a scalar first");
  // A copy: the gradient of a leaf may end up sharing these values.
  const Tensor start = gradient.defined() ? gradient.clone() : Tensor::full(output.shape(), 1);
  require(start.shape() == output.shape(), "backward: gradient ", start.shape(),
          " does not match output ", output.shape());
  tape().run(output, start, retain_tape);
}

Index tape_length() { return tape().length(); }
bool recording() { return tape().recording; }

NoGrad::NoGrad() : before_(std::exchange(tape().recording, false)) {}
NoGrad::~NoGrad() { tape().recording = before_; }
AnomalyMode::AnomalyMode() : before_(std::exchange(tape().anomaly, true)) {}
AnomalyMode::~AnomalyMode() { tape().anomaly = before_; }

}  // namespace bf
