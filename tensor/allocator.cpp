#include "tensor/allocator.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <vector>

namespace bf {
namespace {

constexpr Index alignment = 64;

/// Blocks at least this large ask for pages of this size (those of x86 and most ARM systems): the
/// rows of a matrix then need few entries of the processor's page table cache, and a new block is
/// one page fault instead of 512.
constexpr Index huge_page = Index{2} << 20;

/// Four classes to every doubling: at most a quarter of a fresh block is wasted, and the slightly
/// different batch lengths of a training run share a handful of classes.
Index size_class(Index bytes) {
  if (bytes <= 4 * alignment) return (bytes + alignment - 1) / alignment * alignment;
  const Index step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

class Cache {
 public:
  struct Block {
    void* memory;
    Index capacity;  ///< its own class, at least the one asked for
  };

  Block take(Index bytes) {
    const std::lock_guard lock(mutex_);
    Block block = take_free(bytes);
    if (block.memory == nullptr) block = {from_system(bytes), bytes};
    stats_.live_bytes += bytes;
    stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
    return block;
  }

  void give_back(Block block, Index bytes) noexcept {
    const std::lock_guard lock(mutex_);
    stats_.live_bytes -= bytes;
    try {
      free_[block.capacity].push_back(block.memory);
      stats_.cached_bytes += block.capacity;
    } catch (...) {  // no memory to remember the block: the system can have it
      std::free(block.memory);
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
  /// The smallest free block that is large enough and smaller than four times that. Batches differ
  /// in length: with classes kept apart, each length a class wide would need memory of its own.
  Block take_free(Index bytes) {
    for (auto entry = free_.lower_bound(bytes); entry != free_.end(); ++entry) {
      auto& [capacity, blocks] = *entry;
      if (capacity >= 4 * bytes) break;
      if (blocks.empty()) continue;
      void* memory = blocks.back();
      blocks.pop_back();
      stats_.cached_bytes -= capacity;
      return {memory, capacity};
    }
    return {nullptr, 0};
  }

  void* from_system(Index bytes) {
    const Index boundary = bytes >= huge_page ? huge_page : alignment;
    const Index rounded = (bytes + boundary - 1) / boundary * boundary;
    void* memory = std::aligned_alloc(boundary, rounded);
    if (memory == nullptr) {  // what lies unused in other classes may be enough
      release_all();
      memory = std::aligned_alloc(boundary, rounded);
    }
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    // Only a hint: where the system has no such pages, nothing is lost.
    if (boundary == huge_page) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    ++stats_.system_allocations;
    return memory;
  }

  void release_all() {
    for (auto& [bytes, blocks] : free_) {
      for (void* block : blocks) std::free(block);
      blocks.clear();
    }
    stats_.cached_bytes = 0;
  }

  std::mutex mutex_;
  std::map<Index, std::vector<void*>> free_;
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

Index peak_process_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

std::shared_ptr<Real> allocate(Index count) {
  if (count > std::numeric_limits<Index>::max() / (4 * sizeof(Real))) throw std::bad_alloc();
  const Index bytes = size_class(std::max<Index>(count, 1) * sizeof(Real));
  const Cache::Block block = cache().take(bytes);
  auto* values = static_cast<Real*>(block.memory);
  if (cache().poison) std::fill_n(values, count, std::numeric_limits<Real>::quiet_NaN());
  return {values, [block, bytes](Real*) { cache().give_back(block, bytes); }};
}

}  // namespace bf
