// Writes lines to a descriptor without waiting for a slow reader.
#pragma once

#include <cstdint>
#include <string_view>

namespace trellis {

class LineWriter {
 public:
  LineWriter(int fd, int patience_ms) : fd_(fd), patience_ms_(patience_ms) {}

  // Writes the line with one call. Waits for room for at most `patience_ms`, and not at all after a
  // line was dropped. False: the line was dropped.
  bool write(std::string_view line);

  int64_t dropped() const { return dropped_; }  // since the last forget_dropped()
  void forget_dropped() { dropped_ = 0; }

 private:
  bool has_room() const;

  int fd_;
  int patience_ms_;
  int64_t dropped_ = 0;
};

}  // namespace trellis
