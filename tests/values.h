#pragma once

#include <cstring>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace bf {

// What many tests need: seeded values, comparison of bits, the text of an error.

/// Sizes to loop over: for (const Index n : Sizes{1, 17}).
using Sizes = std::initializer_list<Index>;

inline constexpr double epsilon = std::numeric_limits<Real>::epsilon();

/// `count` seeded normal values.
inline std::vector<Real> seeded_values(Index count, std::uint64_t seed) {
  const RandomStream stream{seed, 77};
  std::vector<Real> values(count);
  for (Index i = 0; i < count; ++i) values[i] = static_cast<Real>(stream.normal(i));
  return values;
}

inline Tensor seeded_tensor(const Shape& shape, std::uint64_t seed) {
  return Tensor::from(shape, seeded_values(shape.size(), seed));
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

/// The text of the exception that `body` throws; empty when it throws none.
template <typename Error = std::invalid_argument, typename Body>
std::string error_text(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Sets the number of threads for a scope.
class ThreadsGuard {
 public:
  explicit ThreadsGuard(Index count) : before_(threads()) { set_threads(count); }
  ~ThreadsGuard() { set_threads(before_); }
  ThreadsGuard(const ThreadsGuard&) = delete;
  ThreadsGuard& operator=(const ThreadsGuard&) = delete;

 private:
  Index before_;
};

}  // namespace bf
