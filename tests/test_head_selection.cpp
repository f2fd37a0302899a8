#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "autograd/scale.h"
#include "autograd/soft_topk.h"
#include "budgetformer/head_selection.h"
#include "tests/policy.h"

using namespace bf;
using doctest::Approx;

namespace {

BudgetConfig config_of(Estimator estimator, Weighting weighting = Weighting::none) {
  BudgetConfig config;
  config.estimator = estimator, config.weighting = weighting;
  return config;
}

Tensor budgets_of(const std::vector<Real>& budgets) {
  return Tensor::from({budgets.size()}, budgets);
}

Gates quiet_gates(const Variable& u, const Variable& s, const BudgetConfig& config, Real tau) {
  return make_gates(u, u, s, config, tau);
}

/// Probability that head h is among the first two drawn without replacement from softmax(u).
double inclusion_of_two(const std::vector<double>& u, Index h) {
  std::vector<double> p;
  double sum = 0;
  for (const double value : u) p.push_back(std::exp(value)), sum += p.back();
  for (double& value : p) value /= sum;
  double result = p[h];
  for (Index first = 0; first < p.size(); ++first) {
    if (first != h) result += p[first] * p[h] / (1 - p[first]);
  }
  return result;
}

constexpr Real large = real_is_double ? Real(1e8) : Real(1e4);

}  // namespace

TEST_CASE("heads_to_run: at least one, at most all, and no head too many by rounding") {
  CHECK(heads_to_run(0.085, 8) == 1);
  CHECK(heads_to_run(1, 8) == 8);
  CHECK(heads_to_run(0.125, 8) == 1);
  CHECK(heads_to_run(0.126, 8) == 2);
  CHECK(heads_to_run(double{0.1f}, 10) == 1);
  CHECK(heads_to_run(double{1.0f / 12.0f}, 12) == 1);
  for (Index heads = 1; heads <= 64; ++heads) {
    for (Index k = 1; k <= heads; ++k) {
      const float share = static_cast<float>(k) / static_cast<float>(heads);
      CHECK(heads_to_run(double{share}, heads) == k);
    }
  }
}

TEST_CASE("heads_to_run: the smallest number of heads that is no less than s H, for any s") {
  const RandomStream random{5, 82};
  for (Index heads = 1; heads <= 64; ++heads) {
    Index before = 1, wrong = 0;
    for (Index i = 1; i <= 1000; ++i) {  // s rises to 1 in uneven steps
      const double s = std::min(1.0, (static_cast<double>(i) - random.uniform(i)) / 999);
      const Index k = heads_to_run(s, heads);
      const double most = static_cast<double>(heads), want = s * most;
      const bool enough = static_cast<double>(k) >= want - 1e-5;
      const bool least = k == 1 || static_cast<double>(k - 1) < want;
      wrong += !(enough && least && k >= before && k <= heads);
      before = k;
    }
    CHECK(wrong == 0);
    CHECK(heads_to_run(1, heads) == heads);
  }
}

TEST_CASE("heads_to_run: what is no fraction stays inside 1 to H") {
  CHECK(heads_to_run(0, 8) == 1);
  CHECK(heads_to_run(-3, 8) == 1);
  CHECK(heads_to_run(7, 8) == 8);
  CHECK(heads_to_run(std::numeric_limits<double>::infinity(), 8) == 8);
  CHECK(heads_to_run(std::numeric_limits<double>::quiet_NaN(), 8) == 1);
}

TEST_CASE("select_heads: the largest scores of each row, of equals the lower index") {
  const Tensor scores = Tensor::from({4, 4}, {1, 3, 2, 0, 5, 5, 5, 5, 0, 7, 7, 9, 1, 2, 3, 4});
  const Tensor budgets = budgets_of({Real(0.5), Real(0.5), Real(0.5), 1});
  const HeadSelection selection = select_heads(scores, budgets);
  CHECK(selection.heads == 4);
  CHECK(selection.sequences() == 4);
  CHECK(selection.counts == std::vector<Index>{2, 2, 2, 4});
  CHECK(distance(selection.mask,
                 std::vector<double>{0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1}) == 0);
  CHECK(selection.runs(0, 1));
  CHECK_FALSE(selection.runs(0, 0));
  CHECK_FALSE(selection.all());
  CHECK(same_bits(selection.budgets, budgets));
  CHECK(select_heads(scores, budgets_of({1, 1, 1, 1})).all());
}

TEST_CASE("select_heads: budgets that do not fit are named") {
  CHECK(error_text<std::invalid_argument>([] {
          select_heads(Tensor::zeros({2, 4}), Tensor::zeros({3}));
        }) == "select_heads: budgets [3] do not fit scores [2, 4]");
}

TEST_CASE("add_noise: u + nu Gumbel; none for nu = 0") {
  const Variable u(seeded_tensor({3, 4}, 1));
  const RandomStream stream{7, 9};
  CHECK(same_bits(add_noise(u, 0, stream).value(), u.value()));
  const Tensor v = add_noise(u, 0.5, stream).value();
  for (Index i = 0; i < v.size(); ++i) {
    CHECK(double{v[i]} == Approx(double{u.value()[i]} + 0.5 * stream.gumbel(i)).epsilon(1e-5));
  }
}

TEST_CASE("select_heads: with Gumbel noise, heads are drawn without replacement by softmax(u)") {
  const std::vector<double> u{1, 0.3, 0, -0.7};
  constexpr Index draws = 20000;
  Tensor scores({draws, 4});
  for (Index i = 0; i < scores.size(); ++i) scores[i] = static_cast<Real>(u[i % 4]);
  const Variable v = add_noise(Variable(scores), 1, {11, 12});
  const HeadSelection drawn = select_heads(v.value(), Tensor::full({draws}, Real(0.5)));
  double exact_sum = 0;
  for (Index h = 0; h < 4; ++h) {
    double count = 0;
    for (Index b = 0; b < draws; ++b) count += double{drawn.mask.row(b)[h]};
    const double exact = inclusion_of_two(u, h), share = count / draws;
    exact_sum += exact;
    CHECK(std::abs(share - exact) < 4 * std::sqrt(exact * (1 - exact) / draws));
  }
  CHECK(exact_sum == Approx(2));
}

TEST_CASE("make_gates: each estimator has its forward value") {
  // v = [2, 1, 0, -1] with 2 heads at tau 1: theta = 0.5.
  const Variable u(Tensor::from({1, 4}, {2, 1, 0, -1})), s(budgets_of({Real(0.5)}));
  const std::vector<double> relaxed{0.817574, 0.622459, 0.377541, 0.182426};
  const Gates hard = quiet_gates(u, s, config_of(Estimator::straight_through), 1);
  CHECK(distance(hard.gate.value(), std::vector<double>{1, 1, 0, 0}) == 0);
  CHECK(hard.selection.counts == std::vector<Index>{2});
  const Gates soft = quiet_gates(u, s, config_of(Estimator::relaxed), 1);
  CHECK(distance(soft.gate.value(), relaxed) < 1e-6);
  CHECK(same_bits(soft.selection.mask, hard.selection.mask));
  // s H softmax(u): softmax of [2, 1, 0, -1] times 2.
  const Gates paper = quiet_gates(u, s, config_of(Estimator::paper), 1);
  CHECK(distance(paper.gate.value(), std::vector<double>{1.287828, 0.473766, 0.174289, 0.064117}) <
        1e-5);
}

TEST_CASE("make_gates: the noise of the state is in the selection, and only what the state says") {
  const Variable u(seeded_tensor({6, 4}, 1)), s(Tensor::full({6}, Real(0.5)));
  PolicyState state = middle_state();
  const BudgetConfig config = config_of(Estimator::straight_through);
  CHECK(same_bits(make_gates(u, s, config, state, {3, 4}).selection.mask,
                  select_heads(u.value(), s.value()).mask));
  state.noise = 2;
  const Tensor v = add_noise(u, 2, {3, 4}).value();
  CHECK(same_bits(make_gates(u, s, config, state, {3, 4}).selection.mask,
                  select_heads(v, s.value()).mask));
  CHECK_FALSE(same_bits(select_heads(v, s.value()).mask, select_heads(u.value(), s.value()).mask));
}

TEST_CASE("make_gates: the soft gate sees the noise that the selection saw, the weights do not") {
  const Variable u(seeded_tensor({6, 4}, 1)), s(Tensor::full({6}, Real(0.5)));
  PolicyState state = middle_state();
  state.noise = 2;
  const Variable v = add_noise(u, 2, {3, 4});
  const auto tau = static_cast<Real>(state.temperature);
  const Tensor p = soft_topk(v, scale(s, 4), tau).value();
  CHECK(same_bits(make_gates(u, s, config_of(Estimator::relaxed), state, {3, 4}).gate.value(), p));
  const Tensor w = relevance_weights(u, tau, select_heads(v.value(), s.value())).value();
  const BudgetConfig weighted = config_of(Estimator::relaxed, Weighting::relevance);
  const Tensor gate = make_gates(u, s, weighted, state, {3, 4}).gate.value();
  for (Index i = 0; i < p.size(); ++i) CHECK(gate[i] == p[i] * w[i]);
}

TEST_CASE("make_gates: annealing the softmax closes the gap between close scores only at the end") {
  const Variable u(Tensor::from({1, 2}, {0, Real(-0.05)})), s(budgets_of({Real(0.5)}));
  const auto shares = [&](Real tau) {  // s H softmax(u / tau) with s H = 1
    return quiet_gates(u, s, config_of(Estimator::paper), tau).gate.value();
  };
  CHECK(distance(shares(1), std::vector<double>{0.512497, 0.487503}) < 1e-5);
  CHECK(distance(shares(Real(0.1)), std::vector<double>{0.622459, 0.377541}) < 1e-5);
  CHECK(distance(shares(Real(0.01)), std::vector<double>{0.993307, 0.006693}) < 1e-5);
}

TEST_CASE("make_gates: hard and soft selection agree as tau goes to 0") {
  const Variable u(seeded_tensor({50, 8}, 5));
  std::vector<Real> whole;
  for (Index b = 0; b < 50; ++b) whole.push_back(static_cast<Real>(1 + b % 8) / 8);
  const Variable s(budgets_of(whole));
  double before = 2;
  for (const double tau : {1.0, 0.1, 0.01, 1e-4}) {
    const Gates soft = quiet_gates(u, s, config_of(Estimator::relaxed), static_cast<Real>(tau));
    double gap = 0;
    for (Index i = 0; i < u.value().size(); ++i) {
      gap += std::abs(double{soft.gate.value()[i]} - double{soft.selection.mask[i]}) / 400;
    }
    CHECK(gap < before);
    before = gap;
  }
  CHECK(before < 1e-3);
}

TEST_CASE("make_gates: a full budget gives gates of exactly 1") {
  const Variable u(seeded_tensor({3, 8}, 2)), s(Tensor::full({3}, 1));
  for (const Estimator estimator : {Estimator::straight_through, Estimator::relaxed}) {
    const Gates gates = quiet_gates(u, s, config_of(estimator), Real(0.3));
    CHECK(same_bits(gates.gate.value(), Tensor::full({3, 8}, 1)));
    CHECK(gates.selection.all());
  }
}

TEST_CASE("relevance_weights: k r / (sum of r over the selected)") {
  // softmax of [log 4, log 2, log 1, log 1] is [1/2, 1/4, 1/8, 1/8].
  const Real a = std::log(Real(4)), b = std::log(Real(2));
  const Variable u(Tensor::from({2, 4}, {a, b, 0, 0, a, b, 0, 0}));
  const HeadSelection selection = selection_of({0b0011, 0b1110}, 4);
  const Tensor w = relevance_weights(u, 1, selection).value();
  // Second row: head 0 is left out; with 3 * (1/2) / (1/2) = 3 its weight is k itself.
  CHECK(distance(w, std::vector<double>{4.0 / 3, 2.0 / 3, 1.0 / 3, 1.0 / 3, 3, 1.5, 0.75, 0.75}) <
        1e-5);
  const BudgetConfig config = config_of(Estimator::straight_through, Weighting::relevance);
  const Gates gates = quiet_gates(u, Variable(Tensor::full({2}, Real(0.5))), config, 1);
  CHECK(distance(gates.gate.value(),
                 std::vector<double>{4.0 / 3, 2.0 / 3, 0, 0, 4.0 / 3, 2.0 / 3, 0, 0}) < 1e-5);
}

TEST_CASE("relevance_weights: extreme scores stay finite, whatever the noise selected") {
  // The selected heads of the first rows have a relevance of exactly 0 in any floating point.
  const Variable u(Tensor::from({3, 4}, {large, 0, 0, -large, large, large, -large, 0, 0, 0, 0, 0}),
                   true);
  const HeadSelection selection = selection_of({0b0110, 0b1000, 0b1111}, 4);
  const Variable w = relevance_weights(u, Real(0.1), selection);
  CHECK(distance(w.value(), std::vector<double>{2, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1}) < 1e-6);
  backward(w, seeded_tensor({3, 4}, 3));
  for (const Real d : u.grad().to_vector()) CHECK(std::isfinite(d));
}

TEST_CASE("relevance_weights: what does not fit is named") {
  const Variable u(Tensor::zeros({2, 4}));
  CHECK(error_text<std::invalid_argument>([&] { relevance_weights(u, 1, selection_of({1}, 4)); }) ==
        "relevance_weights: scores [2, 4] do not fit the selection [1, 4]");
  CHECK(error_text<std::invalid_argument>([&] {
          relevance_weights(u, 0, selection_of({1, 1}, 4));
        }) == "relevance_weights: temperature must be positive, got 0");
}

TEST_CASE("relevance_weights: gradients" * doctest::skip(!real_is_double)) {
  const HeadSelection selection = selection_of({0b00101, 0b10000, 0b11111, 0b01110}, 5);
  CHECK(gradient_fault("relevance_weights",
                       [&](const std::vector<Variable>& in) {
                         return relevance_weights(in[0], Real(0.7), selection);
                       },
                       {random_input({4, 5}, 1)}) == "");
}

TEST_CASE("make_gates: gradients of the smooth estimators" * doctest::skip(!real_is_double)) {
  const Variable u = random_input({4, 5}, 1);
  const Variable s(budgets_of({Real(0.15), Real(0.33), Real(0.77), Real(0.9)}), true);
  for (const Estimator estimator : {Estimator::relaxed, Estimator::paper}) {
    for (const Weighting weighting : {Weighting::none, Weighting::relevance}) {
      CHECK(gradient_fault("make_gates " + to_string(estimator) + " " + to_string(weighting),
                           [&](const std::vector<Variable>& in) {
                             return make_gates(in[0], in[1], config_of(estimator, weighting),
                                               {.temperature = 0.7, .noise = 0.5}, {3, 4})
                                 .gate;
                           },
                           {u, s}) == "");
    }
  }
}

TEST_CASE("make_gates: straight-through has the gradient of the relaxed gate") {
  const Tensor cotangent = seeded_tensor({4, 5}, 8);
  const auto gradients = [&](Estimator estimator) {
    const Variable u(seeded_tensor({4, 5}, 1), true);
    const Variable s(budgets_of({Real(0.15), Real(0.33), Real(0.77), Real(0.9)}), true);
    backward(quiet_gates(u, s, config_of(estimator), Real(0.7)).gate, cotangent);
    return std::pair{u.grad(), s.grad()};
  };
  const auto hard = gradients(Estimator::straight_through), soft = gradients(Estimator::relaxed);
  CHECK(same_bits(hard.first, soft.first));
  CHECK(same_bits(hard.second, soft.second));
}

TEST_CASE("make_gates: straight-through with relevance: both factors get their gradient") {
  const Tensor cotangent = seeded_tensor({3, 5}, 8);
  const Tensor scores = seeded_tensor({3, 5}, 1), budgets = budgets_of({Real(0.4), Real(0.6), 1});
  const Variable u(scores, true), s(budgets, true);
  const BudgetConfig config = config_of(Estimator::straight_through, Weighting::relevance);
  const Gates gates = quiet_gates(u, s, config, Real(0.7));
  backward(gates.gate, cotangent);

  // gate = m w with the gradient of p w: dL/dp = g w and dL/dw = g m.
  const Variable u2(scores, true), s2(budgets, true);
  const Variable p = soft_topk(u2, scale(s2, 5), Real(0.7));
  const Variable w = relevance_weights(u2, Real(0.7), gates.selection);
  Tensor to_p = cotangent.clone(), to_w = cotangent.clone();
  for (Index i = 0; i < to_p.size(); ++i) {
    to_p[i] *= w.value()[i];
    to_w[i] *= gates.selection.mask[i];
  }
  backward(p, to_p);
  backward(w, to_w);
  CHECK(distance(u.grad(), u2.grad()) < 1e-5);
  CHECK(distance(s.grad(), s2.grad()) < 1e-5);
}
