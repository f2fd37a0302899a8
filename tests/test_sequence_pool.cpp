#include <doctest/doctest.h>

#include <cmath>

#include "budgetformer/sequence_pool.h"
#include "tests/policy.h"

using namespace bf;

namespace {

/// LayerNorm of a row with gamma 1 and beta 0, at unit length.
std::vector<double> normalised(const std::vector<double>& row) {
  double mean = 0, variance = 0;
  for (const double value : row) mean += value / static_cast<double>(row.size());
  for (const double value : row) {
    variance += (value - mean) * (value - mean) / static_cast<double>(row.size());
  }
  std::vector<double> result;
  for (const double value : row)
    result.push_back((value - mean) /
                     std::sqrt((variance + 1e-5) * static_cast<double>(row.size())));
  return result;
}

/// Sequences of 2 and 1 tokens in 2 columns.
const Segments segments({2, 1});
Variable tokens() { return Variable(Tensor::from({3, 2}, {1, 4, 3, -2, 7, 8})); }

}  // namespace

TEST_CASE("sequence_pool: mean is the plain mean, without parameters") {
  SequencePool pool(2, Pool::mean);
  CHECK(pool.width() == 2);
  CHECK(pool.named_parameters().empty());
  CHECK(distance(pool.forward(tokens(), segments).value(), std::vector<double>{2, 1, 7, 8}) < 1e-6);
}

TEST_CASE("sequence_pool: max is normalised") {
  SequencePool pool(2, Pool::max);
  CHECK(pool.width() == 2);
  CHECK(by_name(pool).count("norm.gamma") == 1);
  const Tensor z = pool.forward(tokens(), segments).value();
  CHECK(distance(z.rows(0, 1), normalised({3, 4})) < 1e-5);
  CHECK(distance(z.rows(1, 1), normalised({7, 8})) < 1e-5);
}

TEST_CASE("sequence_pool: meanmax puts both side by side, then normalises") {
  SequencePool pool(2, Pool::meanmax);
  CHECK(pool.width() == 4);
  const Tensor z = pool.forward(tokens(), segments).value();
  CHECK(z.shape() == Shape{2, 4});
  CHECK(distance(z.rows(0, 1), normalised({2, 1, 3, 4})) < 1e-5);
  CHECK(distance(z.rows(1, 1), normalised({7, 8, 7, 8})) < 1e-5);
}

TEST_CASE("sequence_pool: a sequence does not see its neighbours") {
  for (const Pool kind : {Pool::mean, Pool::max, Pool::meanmax}) {
    SequencePool pool(6, kind);
    const Tensor x = seeded_tensor({205, 6}, 1);
    const Tensor together = pool.forward(Variable(x), Segments({5, 200})).value();
    const Tensor alone = pool.forward(Variable(x.rows(0, 5)), Segments({5})).value();
    CHECK(same_bits(together.rows(0, 1), alone));
  }
}

TEST_CASE("sequence_pool: gradients" * doctest::skip(!real_is_double)) {
  for (const Pool kind : {Pool::mean, Pool::max, Pool::meanmax}) {
    SequencePool pool(3, kind);
    disturb(pool, 4);
    std::vector<Variable> inputs = parameters_of(pool);
    const Variable x = random_input({8, 3}, 1);
    inputs.push_back(x);
    CHECK(gradient_fault(
              "sequence_pool " + to_string(kind),
              [&](const std::vector<Variable>&) {
                return pool.forward(x, Segments({3, 1, 4}));
              },
              inputs) == "");
  }
}
