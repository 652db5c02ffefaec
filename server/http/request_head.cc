#include "server/http/request_head.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>
#include <utility>

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

class HeadReader {
 public:
  std::optional<RequestHead> read(std::string_view head) {
    if (!read_request_line(next_line(head))) return std::nullopt;
    for (std::string_view line = next_line(head); !line.empty(); line = next_line(head)) {
      if (!read_header(line)) return std::nullopt;
    }
    const std::string& host = head_.request.host;
    if (encodings_ > 1 || lengths_ > 1 || (encodings_ > 0 && lengths_ > 0)) return std::nullopt;
    if (!authority_.empty() && hosts_ == 1 && lower(authority_) != lower(host)) return std::nullopt;
    head_.has_one_host = hosts_ == 0 ? is_old_ : hosts_ == 1 && !host.empty();
    bool ends = connection_ == "close" || (is_old_ && connection_ != "keep-alive");
    bool has_body = head_.is_chunked || head_.body_bytes > 0;
    if (ends || has_body) head_.after = AfterAnswer::Close;
    return std::move(head_);
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
    head_.request.method = line.substr(0, first);
    std::string_view target = line.substr(first + 1, last - first - 1);
    std::string_view version = line.substr(last + 1);
    head_.target = target;
    if (target.starts_with(kAbsolute)) {
      authority_ = target.substr(kAbsolute.size());
      size_t end = std::min(authority_.find_first_of("/?#"), authority_.size());
      if (end == 0 || (end < authority_.size() && authority_[end] != '/')) return false;
      authority_ = authority_.substr(0, end);
    }
    is_old_ = version == "HTTP/1.0";
    return is_token(head_.request.method) && !target.empty() && is_visible(target) &&
           target.find_first_of(" \t") == std::string_view::npos &&
           (is_old_ || version == "HTTP/1.1");
  }

  bool read_header(std::string_view line) {
    size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
    std::string name = lower(line.substr(0, colon));
    std::string_view value = without_blanks(line.substr(colon + 1));
    if (!is_visible(value)) return false;
    if (std::string* kept = place_of(name); kept != nullptr && kept->empty()) *kept = value;
    if (name == "host") {
      ++hosts_;
    } else if (name == "connection") {
      connection_ = lower(value);
    } else if (name == "content-length") {
      ++lengths_;
      return read_length(value);
    } else if (name == "transfer-encoding") {
      ++encodings_;
      head_.is_chunked = true;
      return !is_old_ && lower(value) == "chunked";
    }
    return true;
  }

  // A length above all limits counts as the largest.
  bool read_length(std::string_view value) {
    if (!is_number(value)) return false;
    auto [end, failure] =
        std::from_chars(value.data(), value.data() + value.size(), head_.body_bytes);
    if (failure != std::errc()) head_.body_bytes = std::numeric_limits<int64_t>::max();
    return true;
  }

  std::string* place_of(std::string_view name) {
    HttpRequest& request = head_.request;
    if (name == "host") return &request.host;
    if (name == "origin") return &request.origin;
    if (name == "accept") return &request.accept;
    if (name == "accept-encoding") return &request.accept_encoding;
    return name == "if-none-match" ? &request.if_none_match : nullptr;
  }

  RequestHead head_;
  bool is_old_ = false;  // HTTP/1.0
  std::string_view authority_;
  std::string connection_;
  int hosts_ = 0;
  int lengths_ = 0;
  int encodings_ = 0;
};

}  // namespace

std::optional<RequestHead> parse_request_head(std::string_view head) {
  return HeadReader().read(head);
}

}  // namespace trellis
