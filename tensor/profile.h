#pragma once

#include <array>
#include <cstdint>

namespace bf {

/// Kinds of work that the time of a step is divided into; `none` is not one of them.
enum class WorkKind {
  gemm,           ///< matrix products, with what their epilogues do to a finished tile
  attention,      ///< the attention core, forward and backward
  elementwise,    ///< activations, dropout, sums of tensors and of columns, pooling
  normalisation,  ///< LayerNorm, forward and backward
  embedding,      ///< gathering rows of a table, and adding their gradients to it
  optimizer,      ///< gradient norm and weight update
  selection,  ///< BudgetFormer's pool, controller, gate and choice of heads, with their backward
  head_dispatch,  ///< projections and attention of the selected heads alone
  none
};
constexpr auto work_kinds = static_cast<std::size_t>(WorkKind::none);

/// "gemm", "attention", ...
const char* work_name(WorkKind work);

/// What one kind of work took while the profile was on.
struct WorkTotal {
  std::uint64_t calls = 0;
  double seconds = 0;
  /// Operations of products, as counted by count_flops() for the whole process.
  std::uint64_t flops = 0;
  /// Traffic that the work asks for: every array that a pass reads or writes, once, at its full
  /// size; an array updated in place counts twice, a row that serves all rows (a bias, LayerNorm's
  /// gamma) not at all. Products and attention count none. What stays in cache between two passes
  /// is counted all the same, so bytes per second may exceed the memory's rate.
  std::uint64_t bytes = 0;
};
using Profile = std::array<WorkTotal, work_kinds>;

namespace detail {
constinit inline thread_local bool profiling = false;
}

/// From now on the scopes of the calling thread are recorded; earlier records are forgotten. To be
/// called, like stop_profile(), outside every scope.
void start_profile();
/// Ends it and returns what was recorded since start_profile().
Profile stop_profile();

/// The time while one lives counts as `work`, for the thread that started the profile. The
/// outermost scope has it all: what the optimizer or the controller do with helpers that have
/// scopes of their own is the optimizer's or the controller's; of an inner scope, only the bytes
/// are added to it. A scope inside a parallel_for body does nothing, and its time is part of the
/// scope around the parallel_for, which ends when all threads have. WorkKind::none makes a scope
/// that does nothing. With no profile on, a scope is one look at a flag of the thread.
class ProfileScope {
 public:
  explicit ProfileScope(WorkKind work, std::uint64_t bytes = 0)
      : owns_time_(detail::profiling && open(work, bytes)) {}
  ~ProfileScope() {
    if (owns_time_) close();
  }
  ProfileScope(const ProfileScope&) = delete;
  ProfileScope& operator=(const ProfileScope&) = delete;

  /// The work of the scope that has the time now. The tape asks when it records an operation, so
  /// that its backward counts as the same work as the forward it was recorded in.
  static WorkKind current();

 private:
  static bool open(WorkKind work, std::uint64_t bytes);
  static void close();

  bool owns_time_;
};

}  // namespace bf
