#pragma once

#include <type_traits>

#include "tensor/real.h"

namespace bf {

/// A reference to a callable, without the allocation of std::function; valid during the call it is
/// passed to.
template <typename Signature>
class FunctionRef;

template <typename Result, typename... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <typename Body>
  requires(!std::is_same_v<std::remove_cvref_t<Body>, FunctionRef>) FunctionRef(Body&& body)
      : object_(const_cast<void*>(static_cast<const void*>(&body))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<Body>*>(object))(args...);
        }) {}
  Result operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

/// Number of threads that parallel_for may use from now on, this one included; at least 1.
/// The default is the number of processors. Results never depend on it. Not to be called while
/// another thread is in a parallel_for. Throws std::invalid_argument for a count outside 1 to 1024
/// and std::logic_error inside a parallel_for body.
void set_threads(Index count);
Index threads();

/// Calls body(first, last) for the blocks [0, block), [block, 2 block), ... of [0, count), on all
/// threads. The blocks depend on `count` and `block` alone, never on the number of threads: that,
/// and adding partial results in block order, is why results are the same bits on 1 or 8 threads.
/// A call inside a body stays on its thread. When a body throws, so does the call, perhaps early.
void parallel_for(Index count, Index block, FunctionRef<void(Index, Index)> body);

/// Whether the caller is inside a parallel_for body.
bool in_parallel_region();

/// Blocks that parallel_for makes of `count`.
inline Index block_count(Index count, Index block) { return (count + block - 1) / block; }

/// Rows of `width` values per block such that a block is worth a task (about 16,384 values, the
/// size below which handing work to another thread costs more than it saves).
inline Index rows_per_block(Index width) {
  const Index rows = 16384 / (width ? width : 1);
  return rows ? rows : 1;
}

/// Sum of f(first, last) over fixed blocks of [0, count), in double, added in block order.
double blocked_sum(Index count, Index block, FunctionRef<double(Index, Index)> f);

/// Denormals count as zero on the calling thread from now on. parallel_for does it on the thread
/// that calls it and on every worker: near the end of a training run they would make a
/// multiplication a hundred times slower.
void flush_denormals();

}  // namespace bf
