#include "autograd/tape.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>

#include "autograd/add.h"
#include "autograd/log_softmax.h"
#include "autograd/multiply.h"
#include "autograd/reshape.h"
#include "autograd/scale.h"
#include "autograd/softmax.h"
#include "autograd/sum.h"
#include "tensor/profile.h"
#include "tests/support.h"

using namespace bf;

namespace {

Variable leaf(const std::vector<Real>& values) {
  return Variable(Tensor::from({values.size()}, values), true);
}

/// y = x, with the backward that is passed in.
Variable identity(const Variable& x, Backward backward) {
  return record("identity", x.value().clone(), {x}, std::move(backward));
}

const std::string released_text =
    "backward: the tape of this result was already released; pass retain_tape = true to the first "
    "call";

}  // namespace

TEST_CASE("tape: y = x * x + x at 3 has the derivative 7") {
  const Variable x(Tensor::scalar(3), true);
  const Variable y = add(multiply(x, x), x);
  CHECK(y.item() == 12);
  backward(y);
  CHECK(x.grad().item() == 7);
}

TEST_CASE("tape: an input used twice by one operation gets both gradients") {
  const Variable x = leaf({1, 2});
  backward(sum(add(x, x)));
  CHECK(mismatch(x.grad(), {2, 2}) == "");
}

TEST_CASE("tape: a given output gradient is multiplied through") {
  const Variable x = leaf({1, 2});
  backward(multiply(x, x), Tensor::from({2}, {10, 100}));
  CHECK(mismatch(x.grad(), {20, 400}) == "");
}

TEST_CASE("tape: backward of a leaf is its own gradient") {
  const Variable x(Tensor::scalar(3), true);
  backward(x);
  CHECK(x.grad().item() == 1);
}

TEST_CASE("tape: backward refuses what it cannot differentiate") {
  const Variable x(Tensor::zeros({8, 10}), true);
  CHECK(error_text([&] { backward(scale(x, 2)); }) ==
        "backward: output has shape [8, 10]; pass a gradient of that shape or reduce to a scalar "
        "first");
  CHECK(error_text([&] {
          backward(scale(x, 2), Tensor::zeros({10, 8}));
        }) == "backward: gradient [10, 8] does not match output [8, 10]");
  const std::string nothing = "backward: the output depends on nothing that needs a gradient";
  CHECK(error_text<std::logic_error>([&] { backward(Variable(Tensor::scalar(1))); }) == nothing);
  CHECK(error_text<std::logic_error>([&] { backward(sum(x.detach())); }) == nothing);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("tape: a released tape is refused, and the leaves keep what they have") {
  const Variable x = leaf({1, 2});
  const Variable y = sum(multiply(x, x));
  backward(y);
  CHECK(error_text<std::logic_error>([&] { backward(y); }) == released_text);
  CHECK(mismatch(x.grad(), {2, 4}) == "");
}

TEST_CASE("tape: a retained tape gives exactly twice the gradient") {
  const Variable x = random_input({3, 5}, 1);
  const Variable y = sum(softmax(multiply(x, x)));
  backward(y, {}, true);
  const Tensor once = x.grad().clone();
  backward(y);
  Tensor twice(once.shape());
  for (Index i = 0; i < once.size(); ++i) twice[i] = once[i] + once[i];
  CHECK(same_bits(x.grad(), twice));
  CHECK(error_text<std::logic_error>([&] { backward(y); }) == released_text);
}

TEST_CASE("tape: a shared part that was released is an error, not a lost gradient") {
  const Variable x = leaf({1, 2});
  const Variable shared = multiply(x, x);
  const Variable first = sum(shared);
  backward(first);
  const Variable second = sum(scale(shared, 2));
  CHECK(error_text<std::logic_error>([&] { backward(second); }) == released_text);
  const Variable third = sum(add(shared, x));
  CHECK_THROWS_AS(backward(third), std::logic_error);
}

TEST_CASE("tape: graphs recorded in turns do not disturb each other") {
  const Variable x = leaf({2}), u = leaf({5});
  const Variable x2 = multiply(x, x), u2 = multiply(u, u);
  const Variable x3 = multiply(x2, x), u3 = multiply(u2, u);
  const Variable loss_x = sum(x3), loss_u = sum(u3);
  backward(loss_u);
  CHECK(mismatch(u.grad(), {75}) == "");
  CHECK_FALSE(x.grad().defined());
  backward(loss_x);
  CHECK(mismatch(x.grad(), {12}) == "");
  CHECK(mismatch(u.grad(), {75}) == "");
}

TEST_CASE("tape: the inner result of a graph has its own backward before the outer one") {
  const Variable x = leaf({2});
  const Variable inner = multiply(x, x), outer = sum(multiply(inner, inner));
  backward(sum(inner), {}, true);
  CHECK(mismatch(x.grad(), {4}) == "");
  backward(outer);
  CHECK(mismatch(x.grad(), {4 + 32}) == "");
}

TEST_CASE("tape: a chain of 100,000 operations runs and is released without recursion") {
  const Variable x = leaf({1});
  const Index before = tape_length();
  {
    Variable y = x;
    for (int i = 0; i < 100000; ++i) y = scale(y, 1, 1);
    CHECK(mismatch(y.value(), {100001}) == "");
    CHECK(tape_length() == before + 100000);
    backward(sum(y));
    CHECK(mismatch(x.grad(), {1}) == "");
    CHECK(tape_length() == before);
  }
  {
    Variable y = x;
    for (int i = 0; i < 100000; ++i) y = scale(y, 1, 1);
  }
  CHECK(tape_length() == before);  // dropped unused, without a backward
}

TEST_CASE("tape: records that nobody can reach are dropped") {
  const Variable x = leaf({1});
  const Index before = tape_length();
  Variable kept = scale(x, 2);
  { const Variable dropped = scale(scale(kept, 2), 3); }
  CHECK(tape_length() == before + 1);
  kept = {};
  CHECK(tape_length() == before);
  const Index live = memory_stats().live_bytes;
  for (int i = 0; i < 5000; ++i) scale(x, 2);            // no backward, no tape_length()
  CHECK(memory_stats().live_bytes - live <= 1024 * 64);  // one small block each
}

TEST_CASE("tape: nothing is recorded inside NoGrad, at any depth") {
  const Variable x = leaf({1});
  const Index before = tape_length();
  CHECK(recording());
  {
    const NoGrad outer;
    CHECK_FALSE(recording());
    {
      const NoGrad inner;
      CHECK_FALSE(scale(x, 2).needs_grad());
    }
    CHECK_FALSE(recording());
    Variable kept = x;
    for (int i = 0; i < 1000; ++i) kept = scale(kept, 1);
    CHECK_FALSE(kept.needs_grad());
    CHECK(tape_length() == before);
  }
  CHECK(recording());
  CHECK(scale(x, 2).needs_grad());
}

TEST_CASE("tape: losses that were differentiated can be kept without their graphs") {
  const Variable x = random_input({64, 64}, 1);
  std::vector<Variable> losses;
  Index live = 0;
  for (int step = 0; step < 50; ++step) {
    const Variable loss = sum(multiply(scale(x, 2), x));
    backward(loss);
    losses.push_back(loss);
    if (step == 0) live = memory_stats().live_bytes;
  }
  CHECK(tape_length() == 0);
  CHECK(memory_stats().live_bytes - live <= 50 * 64);  // one scalar each
}

TEST_CASE("tape: an evaluation under NoGrad holds no memory") {
  const Variable x = random_input({64, 64}, 1);
  const NoGrad no_grad;
  const Index live = memory_stats().live_bytes;
  Real total = 0;
  for (int batch = 0; batch < 1000; ++batch) total += sum(multiply(x, x)).item();
  CHECK(total > 0);
  CHECK(tape_length() == 0);
  CHECK(memory_stats().live_bytes == live);
}

TEST_CASE("tape: anomaly mode names the operation whose output is not finite") {
  const AnomalyMode anomaly;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Variable x = leaf({1, nan, 2});
  CHECK(error_text<std::runtime_error>([&] { scale(x, 2); }) ==
        "anomaly: scale: output [3] has nan at element 1");
  CHECK(error_text<std::runtime_error>([&] {
          scale(leaf({1, -infinity}), 1);
        }) == "anomaly: scale: output [2] has -inf at element 1");
  CHECK(error_text<std::runtime_error>([&] {
          const NoGrad no_grad;
          multiply(leaf({infinity, 0}), leaf({0, 0}));
        }) == "anomaly: multiply: output [2] has nan at element 0");
}

TEST_CASE("tape: anomaly mode names the operation that handed back a bad gradient") {
  const AnomalyMode anomaly;
  const Variable a = leaf({1, 2}), b = leaf({3, 4});
  const Variable bad = record("spoil", b.value().clone(), {a, b},
                              [da = a.grad_buffer(), db = b.grad_buffer()](const Tensor& g) {
                                da.add(g);
                                db.add(Tensor::full({2}, std::numeric_limits<Real>::infinity()));
                              });
  CHECK(error_text<std::runtime_error>([&] { backward(sum(scale(bad, 2))); }) ==
        "anomaly: spoil: gradient of input 1 [2] has inf at element 0");
}

TEST_CASE("tape: anomaly mode ends with its scope") {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  { const AnomalyMode anomaly; }
  CHECK(std::isnan(scale(leaf({nan}), 1).value()[0]));
}

TEST_CASE("tape: an exception in a backward leaves a usable tape") {
  const Variable x = leaf({1, 2}), u = leaf({3, 4});
  const Index before = tape_length();
  const Variable other = sum(multiply(u, u));
  bool fail = true;
  {
    const Variable early = scale(x, 1);
    const Variable bad = identity(early, [&fail, d = early.grad_buffer()](const Tensor& g) {
      d.add(g);
      if (fail) throw std::runtime_error("out of luck");
    });
    const Variable loss = sum(bad);
    CHECK(error_text<std::runtime_error>([&] { backward(loss, {}, true); }) == "out of luck");
    CHECK_FALSE(x.grad().defined());
    fail = false;
    backward(loss);  // the half-made gradient of `early` is gone
    CHECK(mismatch(x.grad(), {1, 1}) == "");
  }
  backward(other);
  CHECK(mismatch(u.grad(), {6, 8}) == "");
  CHECK(tape_length() == before);
}

TEST_CASE("tape: another thread has its own tape and its own NoGrad") {
  const Variable x = leaf({3});
  const NoGrad no_grad;
  Real gradient = 0;
  std::thread([&] {
    const Variable u = leaf({3});
    backward(sum(multiply(u, u)));
    gradient = u.grad()[0];
  }).join();
  CHECK(gradient == 6);
}

TEST_CASE("tape: a result of another thread is refused") {
  const Variable x = leaf({3});
  const Variable y = sum(multiply(x, x));
  std::string text;
  std::thread([&] { text = error_text<std::logic_error>([&] { backward(y); }); }).join();
  CHECK(text == "backward: this result was recorded by another thread");
}

TEST_CASE("tape: values saved for backward are released with their records") {
  const Variable x = leaf({1});
  const auto saved = std::make_shared<int>(1);
  const Variable y = identity(x, [saved, d = x.grad_buffer()](const Tensor& g) { d.add(g); });
  CHECK(saved.use_count() == 2);
  backward(sum(y));
  CHECK(saved.use_count() == 1);
}

TEST_CASE("tape: in a profile, a backward is the work that its forward was recorded in") {
  const Variable x = leaf({1, 2});
  WorkKind in_selection = WorkKind::none, outside = WorkKind::selection;
  start_profile();
  Variable y;
  {
    const ProfileScope scope(WorkKind::selection);
    y = identity(x, [&](const Tensor&) { in_selection = ProfileScope::current(); });
  }
  backward(sum(y));
  backward(sum(identity(x, [&](const Tensor&) { outside = ProfileScope::current(); })));
  const Profile profile = stop_profile();
  CHECK(in_selection == WorkKind::selection);
  CHECK(outside == WorkKind::none);
  CHECK(profile[static_cast<std::size_t>(WorkKind::selection)].calls == 2);
}
