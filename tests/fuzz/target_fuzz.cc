// Request targets, and whole heads through the codec.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/http/http_codec.h"
#include "server/http/request_head.h"
#include "server/http/request_target.h"
#include "tests/fuzz/reading.h"
#include "tests/support/percent_encoded.h"

namespace {

using namespace trellis;

void check_target(std::string_view text) {
  Result<RequestTarget> target = parse_request_target(text);
  if (!target) {
    fuzz::require(!target.error().message.empty(), "a refusal says why");
    return;
  }
  std::string again;
  for (const std::string& segment : target->segments) again += "/" + percent_encoded(segment);
  if (again.empty() || again.ends_with('/')) again += '/';
  char separator = '?';
  for (const auto& [key, value] : target->query) {
    again += separator + percent_encoded(key) + "=" + percent_encoded(value);
    separator = '&';
  }
  Result<RequestTarget> second = parse_request_target(again);
  fuzz::require(second.has_value(), "what is encoded reads back");
  fuzz::require(second->segments == target->segments, "segments read back");
  fuzz::require(second->query == target->query, "a query reads back");
}

void check_head(std::string_view text) {
  static HttpCodec codec({}, [](const HttpRequest& request) {
    fuzz::require(request.method == "GET" || request.method == "HEAD", "GET and HEAD only");
    return HttpResponse{.body = request.path, .headers = {{"X-Path", request.path}}};
  });
  std::optional<RequestHead> head = parse_request_head(std::string(text) + "\r\n\r\n");
  if (!head) return;
  std::string bytes = codec.answer(std::move(*head)).bytes;
  fuzz::require(bytes.starts_with("HTTP/1.1 "), "every head is answered");
  fuzz::require(bytes.find("\r\nX-Content-Type-Options: nosniff\r\n") != std::string::npos,
                "with the headers that a browser needs");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_target(text);
  check_head(text);
  check_head("GET " + std::string(text) + " HTTP/1.1\r\nHost: localhost");
  return 0;
}
