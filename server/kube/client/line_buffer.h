// A stream's bytes into lines: they come in pieces of any size, a line may span many.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trellis {

class LineBuffer {
 public:
  // Ten times what etcd takes for an object.
  static constexpr size_t kMostLineBytes = size_t{16} << 20;

  // Calls `line(const std::string&)`, without its end, for each that is whole now and not empty,
  // until it says false. False: it said so, or a line is longer than any may be.
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

  // A line was longer than any may be: what it said is lost.
  bool too_long() const { return too_long_; }

 private:
  std::string line_;  // so far
  bool too_long_ = false;
};

}  // namespace trellis
