// A text that is read once from its beginning to its end, and gives back its memory on the way: the
// records that are made of a large file then take the place of its text.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace trellis {

class ConsumedText {
 public:
  explicit ConsumedText(std::string text) : text_(std::move(text)) {}

  // A zero byte follows. What was consumed is undefined.
  std::string_view view() const { return text_; }

  // Nothing before this offset is needed any more. Only whole pages are given back.
  void consume(size_t offset) {
    const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    auto begin = reinterpret_cast<uintptr_t>(text_.data());
    uintptr_t first = (begin + consumed_ + page - 1) / page * page;
    uintptr_t end = (begin + offset) / page * page;
    if (end <= first) return;
    (void)::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
    consumed_ = offset;
  }

 private:
  std::string text_;
  size_t consumed_ = 0;
};

}  // namespace trellis
