// An allocator for large blocks: each has pages of its own, which go back to the system when the
// block is freed. The C++ heap may keep what is freed for itself.
//
// Cost: two system calls for a block; a small one comes from the heap.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>

namespace trellis {

template <class T>
class PageAllocator {
 public:
  using value_type = T;

  PageAllocator() = default;
  template <class Other>
  PageAllocator(const PageAllocator<Other>& /*other*/) {}  // NOLINT: as allocators convert

  T* allocate(size_t items) {
    if (!is_large(items)) return std::allocator<T>().allocate(items);
    void* pages = ::mmap(nullptr, items * sizeof(T), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(pages);
  }
  void deallocate(T* memory, size_t items) {
    if (!is_large(items)) return std::allocator<T>().deallocate(memory, items);
    ::munmap(memory, items * sizeof(T));
  }

  bool operator==(const PageAllocator& /*other*/) const { return true; }

 private:
  static bool is_large(size_t items) { return items * sizeof(T) >= size_t{1} << 18; }
};

}  // namespace trellis
