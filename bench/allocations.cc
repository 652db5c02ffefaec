#include "bench/allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace trellis::bench {
namespace {

std::atomic<int64_t> count{0};
std::atomic<int64_t> held{0};

}  // namespace

int64_t allocations() { return count.load(std::memory_order_relaxed); }
int64_t held_bytes() { return held.load(std::memory_order_relaxed); }

}  // namespace trellis::bench

// A sanitizer brings its own.
#ifndef TRELLIS_SANITIZED

// The other forms of new and delete come down to these.
void* operator new(std::size_t bytes) {
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  trellis::bench::count.fetch_add(1, std::memory_order_relaxed);
  trellis::bench::held.fetch_add(static_cast<int64_t>(malloc_usable_size(memory)),
                                 std::memory_order_relaxed);
  return memory;
}

void operator delete(void* memory) noexcept {
  trellis::bench::held.fetch_sub(static_cast<int64_t>(malloc_usable_size(memory)),
                                 std::memory_order_relaxed);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

#endif
