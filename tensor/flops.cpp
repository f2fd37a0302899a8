#include "tensor/flops.h"

#include <atomic>

namespace bf {
namespace {

std::atomic<std::uint64_t> linear_operations{0};
std::atomic<std::uint64_t> attention_operations{0};

}  // namespace

Flops executed_flops() { return {linear_operations.load(), attention_operations.load()}; }

void count_flops(FlopKind kind, std::uint64_t operations) {
  auto& counter = kind == FlopKind::linear ? linear_operations : attention_operations;
  counter.fetch_add(operations, std::memory_order_relaxed);
}

}  // namespace bf
