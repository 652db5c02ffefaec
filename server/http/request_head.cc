#include "server/http/request_head.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "framework/ascii.h"

namespace trellis {
namespace {

constexpr std::string_view kCrLf = "\r\n";
constexpr std::string_view kAbsolute = "http://";

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           kMarks.find(c) != std::string_view::npos;
  });
}

// Whether `text` can be a header's value: it contains no control characters but tabs.
bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return (c >= 0x20 && c != 0x7f) || c == '\t'; });
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

class Head {
 public:
  bool read(std::string_view head) {
    if (!read_request_line(next_line(head))) return false;
    for (std::string_view line = next_line(head); !line.empty(); line = next_line(head)) {
      if (!read_header(line)) return false;
    }
    if (encodings_ > 1 || lengths_ > 1 || (encodings_ > 0 && lengths_ > 0)) return false;
    return authority_.empty() || hosts_ != 1 || lower(authority_) == lower(host_);
  }

 private:
  static std::string_view next_line(std::string_view& rest) {
    size_t end = rest.find(kCrLf);
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + kCrLf.size());
    return line;
  }

  bool read_request_line(std::string_view line) {
    size_t first = line.find(' ');
    size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return false;
    std::string_view target = line.substr(first + 1, last - first - 1);
    std::string_view version = line.substr(last + 1);
    if (target.starts_with(kAbsolute)) {
      authority_ = target.substr(kAbsolute.size());
      size_t end = std::min(authority_.find_first_of("/?#"), authority_.size());
      if (end == 0 || (end < authority_.size() && authority_[end] != '/')) return false;
      authority_ = authority_.substr(0, end);
    }
    is_old_ = version == "HTTP/1.0";
    return is_token(line.substr(0, first)) && !target.empty() && is_visible(target) &&
           target.find_first_of(" \t") == std::string_view::npos &&
           (is_old_ || version == "HTTP/1.1");
  }

  bool read_header(std::string_view line) {
    size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
    std::string name = lower(line.substr(0, colon));
    std::string_view value = without_blanks(line.substr(colon + 1));
    if (!is_visible(value)) return false;
    if (name == "host") {
      ++hosts_;
      host_ = value;
    } else if (name == "content-length") {
      ++lengths_;
      return is_number(value);
    } else if (name == "transfer-encoding") {
      ++encodings_;
      return !is_old_ && lower(value) == "chunked";
    }
    return true;
  }

  bool is_old_ = false;  // HTTP/1.0
  std::string_view authority_;
  std::string_view host_;
  int hosts_ = 0;
  int lengths_ = 0;
  int encodings_ = 0;
};

}  // namespace

bool is_sound_head(std::string_view head) { return Head().read(head); }

}  // namespace trellis
