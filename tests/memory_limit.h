#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "tensor/require.h"

namespace bf {

/// The program may take at most so many MiB of memory from the system beyond what it has: what asks
/// for more gets none (std::bad_alloc). What was freed before can be had again; so the limit and
/// what is forbidden have to lie far apart.
class MemoryLimit {
 public:
  explicit MemoryLimit(rlim_t mebibytes) : bytes_(mebibytes << 20) {
    getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + bytes_,
                       before_.rlim_max};
    require_state(setrlimit(RLIMIT_AS, &limit) == 0, "memory cannot be limited");
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  /// Whether twice as much is refused.
  bool holds() const {
    void* const place = mmap(nullptr, 2 * bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return true;
    munmap(place, 2 * bytes_);
    return false;
  }

 private:
  rlim_t bytes_;
  rlimit before_{};
};

}  // namespace bf
