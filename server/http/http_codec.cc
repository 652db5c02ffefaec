#include "server/http/http_codec.h"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "framework/ascii.h"
#include "server/http/gzip.h"
#include "server/http/listen_address.h"
#include "server/http/request_target.h"

namespace trellis {
namespace {

enum class Body { Sent, LeftOut };

struct NameOrder {
  bool operator()(std::string_view a, std::string_view b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](char x, char y) { return lower(x) < lower(y); });
  }
};

using Headers = std::map<std::string, std::string, NameOrder>;

const Headers kHeadersOfAll = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
    {"Accept-Ranges", "none"}};

std::string_view phrase_of(int status) {
  static const std::map<int, std::string_view> kPhrases = {{200, "OK"},
                                                           {304, "Not Modified"},
                                                           {400, "Bad Request"},
                                                           {403, "Forbidden"},
                                                           {404, "Not Found"},
                                                           {405, "Method Not Allowed"},
                                                           {408, "Request Timeout"},
                                                           {411, "Length Required"},
                                                           {413, "Payload Too Large"},
                                                           {503, "Service Unavailable"}};
  auto found = kPhrases.find(status);
  return found == kPhrases.end() ? "Internal Server Error" : found->second;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

void set_header(Headers& headers, const std::string& name, const std::string& value) {
  if (!is_plain(name) || !is_plain(value)) return;  // never a second header in a value
  headers.erase(name);                              // which may be spelt in another way
  headers.emplace(name, value);
}

std::string encoded(const HttpResponse& response, Body body) {
  Headers headers = kHeadersOfAll;
  if (!response.body.empty()) set_header(headers, "Content-Type", response.content_type);
  for (const auto& [name, value] : response.headers) set_header(headers, name, value);
  set_header(headers, "Content-Length", std::to_string(response.body.size()));
  std::string bytes = "HTTP/1.1 " + std::to_string(response.status) + " ";
  bytes.append(phrase_of(response.status)).append("\r\n");
  for (const auto& [name, value] : headers) {
    bytes.append(name).append(": ").append(value).append("\r\n");
  }
  bytes += "\r\n";
  if (body == Body::Sent) bytes += response.body;
  return bytes;
}

const std::string* header_of(const HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (lower(key) == lower(name)) return &value;
  }
  return nullptr;
}

// Whether an If-None-Match header contains the ETag, compared weakly.
bool has_known_tag(const HttpResponse& response, std::string_view if_none_match) {
  const std::string* header = header_of(response, "ETag");
  if (header == nullptr) return false;
  std::string_view tag = *header;
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return if_none_match == "*" || if_none_match.find(tag) != std::string_view::npos;
}

void compress(HttpResponse& response, std::string_view accept_encoding) {
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (header_of(response, "Content-Encoding") != nullptr || !accepts_gzip(accept_encoding)) return;
  if (std::optional<std::string> smaller = gzip(response.body)) {
    response.body = std::move(*smaller);
    response.headers.emplace_back("Content-Encoding", "gzip");
  }
}

}  // namespace

HttpCodec::HttpCodec(const CodecOptions& options, HttpHandler handler)
    : options_(options), handler_(std::move(handler)) {}

EncodedAnswer HttpCodec::answer(RequestHead head) const {
  HttpResponse response = judged(head);
  if (response.status == 200 && has_known_tag(response, head.request.if_none_match)) {
    response.status = 304;
    response.body.clear();
  }
  bool is_head = head.request.method == "HEAD";
  if (!is_head && static_cast<int64_t>(response.body.size()) >= options_.compressed_from) {
    compress(response, head.request.accept_encoding);
  }
  if (head.after == AfterAnswer::Close) {
    response.headers.emplace_back("Connection", "close");
  } else {
    response.headers.emplace_back("Keep-Alive",
                                  "timeout=" + std::to_string(options_.idle_s) + ", max=5");
  }
  return {.bytes = encoded(response, is_head ? Body::LeftOut : Body::Sent), .after = head.after};
}

HttpResponse HttpCodec::judged(RequestHead& head) const {
  HttpRequest& request = head.request;
  bool is_post = request.method == "POST" && options_.bodies == Bodies::Read;
  if (request.method != "GET" && request.method != "HEAD" && !is_post) {
    HttpResponse refused = error_response(405, request.method + ": only GET and HEAD are answered");
    refused.headers.emplace_back("Allow", "GET, HEAD");
    return refused;
  }
  if (is_post && head.is_chunked) {
    return error_response(411, "expected a Content-Length and no Transfer-Encoding");
  }
  if (!head.has_one_host) return error_response(400, "expected one Host header");
  if (!request.host.empty() && options_.names == AllowedNames::Local &&
      !is_local_name(request.host)) {
    return error_response(403, "\"" + request.host +
                                   "\": this listens on loopback, and is to be asked for by "
                                   "address or as localhost");
  }
  // A browser sends the address of the page that asks: pages of others must not start work here.
  if (is_post && !request.origin.empty() && request.origin != "http://" + request.host &&
      request.origin != "https://" + request.host) {
    return error_response(403, "\"" + request.origin + "\": another page asks");
  }
  Result<RequestTarget> target = parse_request_target(head.target);
  if (!target) return error_response(400, target.error().message);
  request.path = std::move(target->path);
  request.segments = std::move(target->segments);
  request.query = std::move(target->query);
  try {
    return handler_(request);
  } catch (const std::exception& failure) {
    return error_response(500, failure.what());
  }
}

std::string refusal(int status, std::string_view message) {
  HttpResponse response = error_response(status, message);
  response.headers.emplace_back("Connection", "close");
  return encoded(response, Body::Sent);
}

}  // namespace trellis
