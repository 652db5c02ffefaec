// Memory for many small texts that are kept together.
//
// Guarantees: a kept text stays at its address until clear(), or as long as the arena lives.
// Cost: a copy of the text; memory is taken in chunks.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

class TextArena {
 public:
  TextArena() = default;
  TextArena(TextArena&& other) noexcept { swap(other); }
  TextArena& operator=(TextArena&& other) noexcept {
    swap(other);
    return *this;
  }

  std::string_view keep(std::string_view text) {
    if (text.empty()) return "";
    if (text.size() > free_bytes_) add_chunk(text.size());
    char* to = free_;
    std::memcpy(to, text.data(), text.size());
    free_ += text.size();
    free_bytes_ -= text.size();
    return {to, text.size()};
  }

  // Drops all texts, and keeps one chunk of the usual size.
  void clear() {
    if (chunks_.size() != 1 || chunk_bytes_ != kChunkBytes) {
      chunks_.clear();
      chunk_bytes_ = 0;
    }
    free_ = chunks_.empty() ? nullptr : chunks_[0].get();
    free_bytes_ = chunk_bytes_;
  }

 private:
  static constexpr size_t kChunkBytes = 1 << 14;

  void swap(TextArena& other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(free_, other.free_);
    std::swap(free_bytes_, other.free_bytes_);
    std::swap(chunk_bytes_, other.chunk_bytes_);
  }

  void add_chunk(size_t at_least_bytes) {
    chunk_bytes_ = std::max(kChunkBytes, at_least_bytes);
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes_));
    free_ = chunks_.back().get();
    free_bytes_ = chunk_bytes_;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;
  size_t free_bytes_ = 0;
  size_t chunk_bytes_ = 0;  // of the last chunk
};

}  // namespace trellis
