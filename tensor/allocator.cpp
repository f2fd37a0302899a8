#include "tensor/allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace bf {
namespace {

constexpr Index alignment = 64;

/// Four classes to every doubling: at most a quarter of a block is wasted, and the slightly
/// different batch lengths of a training run share a handful of classes.
Index size_class(Index bytes) {
  if (bytes <= 4 * alignment) return (bytes + alignment - 1) / alignment * alignment;
  const Index step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

class Cache {
 public:
  void* take(Index bytes) {
    const std::lock_guard lock(mutex_);
    void* block = nullptr;
    auto& free_blocks = free_[bytes];
    if (!free_blocks.empty()) {
      block = free_blocks.back();
      free_blocks.pop_back();
      stats_.cached_bytes -= bytes;
    } else {
      block = std::aligned_alloc(alignment, bytes);
      if (block == nullptr) {  // what lies unused in other classes may be enough
        release_all();
        block = std::aligned_alloc(alignment, bytes);
      }
      if (block == nullptr) throw std::bad_alloc();
      ++stats_.system_allocations;
    }
    stats_.live_bytes += bytes;
    stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
    return block;
  }

  void give_back(void* block, Index bytes) noexcept {
    const std::lock_guard lock(mutex_);
    stats_.live_bytes -= bytes;
    try {
      free_[bytes].push_back(block);
      stats_.cached_bytes += bytes;
    } catch (...) {  // no memory to remember the block: the system can have it
      std::free(block);
    }
  }

  void release() {
    const std::lock_guard lock(mutex_);
    release_all();
  }

  MemoryStats stats() {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

  void reset_peak() {
    const std::lock_guard lock(mutex_);
    stats_.peak_bytes = stats_.live_bytes;
  }

  bool poison = false;

 private:
  void release_all() {
    for (auto& [bytes, blocks] : free_) {
      for (void* block : blocks) std::free(block);
      blocks.clear();
    }
    stats_.cached_bytes = 0;
  }

  std::mutex mutex_;
  std::unordered_map<Index, std::vector<void*>> free_;
  MemoryStats stats_;
};

/// Never destroyed: tensors with static lifetime may be released after any destructor of ours.
Cache& cache() {
  static Cache& instance = *new Cache;
  return instance;
}

}  // namespace

MemoryStats memory_stats() { return cache().stats(); }
void reset_peak_memory() { cache().reset_peak(); }
void release_cached_memory() { cache().release(); }
void poison_new_memory(bool on) { cache().poison = on; }

std::shared_ptr<Real> allocate(Index count) {
  if (count > std::numeric_limits<Index>::max() / (4 * sizeof(Real))) throw std::bad_alloc();
  const Index bytes = size_class(std::max<Index>(count, 1) * sizeof(Real));
  auto* block = static_cast<Real*>(cache().take(bytes));
  if (cache().poison) std::fill_n(block, count, std::numeric_limits<Real>::quiet_NaN());
  return {block, [bytes](Real* values) { cache().give_back(values, bytes); }};
}

}  // namespace bf
