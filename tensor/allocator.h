#pragma once

#include <memory>

#include "tensor/real.h"

namespace bf {

/// What the tensors of this process hold and held, in bytes rounded up to size classes (four to a
/// doubling). A class is what a tensor needs, whatever block serves it, so that live and peak bytes
/// do not depend on what ran before; cached bytes are those of the blocks.
struct MemoryStats {
  Index live_bytes = 0;          ///< in use by tensors now
  Index peak_bytes = 0;          ///< most ever in use at once since reset_peak_memory()
  Index cached_bytes = 0;        ///< freed by tensors, kept for the next ones
  Index system_allocations = 0;  ///< times the system was asked for memory
};

MemoryStats memory_stats();
/// The peak starts again from what is live now.
void reset_peak_memory();
/// Largest resident size of the process so far, code and libraries included.
Index peak_process_bytes();
/// Gives every cached block back to the system.
void release_cached_memory();
/// For tests: fill fresh blocks with NaN, so that an element nobody wrote shows.
void poison_new_memory(bool on);

/// A block for `count` values, aligned to 64 bytes, from the cache where one of its size class, or
/// of a larger one below four times the size, is free; its content is undefined. The last owner
/// returns it to the cache. Throws std::bad_alloc when the system has no memory.
std::shared_ptr<Real> allocate(Index count);

}  // namespace bf
