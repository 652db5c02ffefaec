// Splits the bytes of a stream into lines. Bytes arrive in pieces of any size, and a line may span
// many pieces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trellis {

class LineBuffer {
 public:
  // Ten times the size of the largest object that etcd accepts.
  static constexpr size_t kMostLineBytes = size_t{16} << 20;

  // Calls `line(const std::string&)`, without the line's end, for each line that is complete now
  // and not empty, until `line` returns false. False: `line` did, or a line is longer than
  // kMostLineBytes.
  template <class Line>
  bool add(std::string_view bytes, Line line) {
    while (!bytes.empty()) {
      size_t end = bytes.find('\n');
      std::string_view part = bytes.substr(0, end);
      too_long_ = line_.size() + part.size() > kMostLineBytes;
      if (too_long_) return false;
      line_ += part;
      if (end == std::string_view::npos) return true;
      bytes.remove_prefix(end + 1);
      bool go_on = line_.empty() || line(line_);
      line_.clear();
      if (!go_on) return false;
    }
    return true;
  }

  // A line was longer than kMostLineBytes, and its content is lost.
  bool too_long() const { return too_long_; }

 private:
  std::string line_;  // the incomplete line so far
  bool too_long_ = false;
};

}  // namespace trellis
