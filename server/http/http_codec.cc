#include "server/http/http_codec.h"

#include <httplib.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "server/http/gzip.h"
#include "server/http/listen_address.h"
#include "server/http/request_target.h"

namespace trellis {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// The stream that the library uses in place of a socket.
class HeadStream : public httplib::Stream {
 public:
  explicit HeadStream(std::string head) : head_(std::move(head)) {}

  bool is_readable() const override { return read_ < head_.size(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t size) override {
    size_t count = std::min(size, head_.size() - read_);
    std::memcpy(to, head_.data() + read_, count);
    read_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) override {
    answer_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return -1; }

  std::string take_answer() { return std::move(answer_); }

 private:
  std::string head_;
  size_t read_ = 0;
  std::string answer_;
};

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// The library answers each range of a Range header with a copy of the body's piece, thousands of
// them if a client requests so many, and reads the header with a recursive regular expression: the
// header must be hidden from it.
void hide_ranges(std::string& head) {
  constexpr std::string_view kName = "range";
  for (size_t at = head.find('\n'); at != std::string::npos; at = head.find('\n', at + 1)) {
    if (same_letters(std::string_view(head).substr(at + 1, kName.size()), kName)) {
      head[at + 1] = 'x';
    }
  }
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

void set_header(httplib::Response& to, const std::string& name, std::string value) {
  if (!is_plain(name) || !is_plain(value)) return;  // never a second header in a value
  to.headers.erase(name);
  to.headers.emplace(name, std::move(value));
}

bool has_body(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) return true;
  return request.has_header("Content-Length") && request.get_header_value("Content-Length") != "0";
}

// Whether an If-None-Match header contains this ETag, compared weakly.
bool names_tag(std::string_view if_none_match, std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return if_none_match == "*" || if_none_match.find(tag) != std::string_view::npos;
}

const std::string* header_of(const HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (same_letters(key, name)) return &value;
  }
  return nullptr;
}

}  // namespace

class HttpCodec::Library : public httplib::Server {
 public:
  Library(const CodecOptions& options, HttpHandler handler)
      : options_(options), handler_(std::move(handler)) {
    set_default_headers({{"Content-Security-Policy", std::string(kPolicy)},
                         {"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cache-Control", "no-store"},
                         {"Accept-Ranges", "none"}});
    set_keep_alive_timeout(static_cast<time_t>(options.idle_s));
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response);
      return HandlerResponse::Handled;
    });
    // Only what the library itself refuses has no body yet.
    set_error_handler([this](const httplib::Request& /*request*/, httplib::Response& response) {
      if (!response.body.empty()) return;
      after_ = AfterAnswer::Close;
      set_header(response, "Connection", "close");
      fill(error_response(response.status, "this is no request that is understood"), response);
    });
  }

  EncodedAnswer answer(std::string head, AfterAnswer after) {
    hide_ranges(head);
    after_ = after;
    HeadStream stream(std::move(head));
    bool closed = false;
    process_request(stream, after == AfterAnswer::Close, closed,
                    [this](httplib::Request& request) { prepare(request); });
    if (closed) after_ = AfterAnswer::Close;
    return {.bytes = stream.take_answer(), .after = after_};
  }

  std::string refusal(int status, std::string_view message) {
    refusal_ = error_response(status, message);
    std::string bytes = answer("GET / HTTP/1.0\r\n\r\n", AfterAnswer::Close).bytes;
    refusal_.reset();
    return bytes;
  }

 private:
  // Called before routing: removes the headers that the library would act on by itself.
  void prepare(httplib::Request& request) {
    accept_encoding_ = request.get_header_value("Accept-Encoding");
    request.headers.erase("Accept-Encoding");  // it would choose brotli at its slowest
    request.headers.erase("Expect");
    if (has_body(request)) after_ = AfterAnswer::Close;
    if (after_ == AfterAnswer::Close) {
      request.headers.erase("Connection");
      request.set_header("Connection", "close");
    }
  }

  void respond(const httplib::Request& request, httplib::Response& response) {
    HttpResponse made = refusal_ ? *refusal_ : judged(request);
    const std::string* tag = header_of(made, "ETag");
    if (made.status == 200 && tag != nullptr &&
        names_tag(request.get_header_value("If-None-Match"), *tag)) {
      made.status = 304;
      made.body.clear();
    }
    if (request.method != "HEAD") compress(made, response);
    fill(std::move(made), response);
  }

  HttpResponse judged(const httplib::Request& request) {
    if (request.method != "GET" && request.method != "HEAD") {
      HttpResponse refused =
          error_response(405, request.method + ": only GET and HEAD are answered");
      refused.headers.emplace_back("Allow", "GET, HEAD");
      return refused;
    }
    size_t hosts = request.get_header_value_count("Host");
    if (hosts > 1 || (hosts == 0 && request.version != "HTTP/1.0")) {
      return error_response(400, "expected one Host header");
    }
    std::string host = request.get_header_value("Host");
    if (hosts == 1 && options_.names == AllowedNames::Local && !is_local_name(host)) {
      return error_response(403, "\"" + host +
                                     "\": this listens on loopback, and is to be asked for by "
                                     "address or as localhost");
    }
    Result<RequestTarget> target = parse_request_target(request.target);
    if (!target) return error_response(400, target.error().message);
    return handled({.method = request.method,
                    .path = std::move(target->path),
                    .segments = std::move(target->segments),
                    .query = std::move(target->query),
                    .host = std::move(host),
                    .accept = request.get_header_value("Accept"),
                    .accept_encoding = accept_encoding_,
                    .if_none_match = request.get_header_value("If-None-Match")});
  }

  HttpResponse handled(const HttpRequest& request) {
    try {
      return handler_(request);
    } catch (const std::exception& failure) {
      return error_response(500, failure.what());
    }
  }

  void compress(HttpResponse& made, httplib::Response& response) const {
    if (static_cast<int64_t>(made.body.size()) < options_.compressed_from) return;
    set_header(response, "Vary", "Accept-Encoding");
    if (header_of(made, "Content-Encoding") != nullptr || !accepts_gzip(accept_encoding_)) return;
    if (std::optional<std::string> smaller = gzip(made.body)) {
      made.body = std::move(*smaller);
      set_header(response, "Content-Encoding", "gzip");
    }
  }

  static void fill(HttpResponse made, httplib::Response& response) {
    response.status = made.status;
    if (!made.body.empty()) set_header(response, "Content-Type", std::move(made.content_type));
    for (auto& [name, value] : made.headers) set_header(response, name, std::move(value));
    response.body = std::move(made.body);
  }

  CodecOptions options_;
  HttpHandler handler_;
  // Of the request that is being answered.
  std::string accept_encoding_;
  AfterAnswer after_ = AfterAnswer::KeepOpen;
  std::optional<HttpResponse> refusal_;
};

HttpCodec::HttpCodec(const CodecOptions& options, HttpHandler handler)
    : library_(std::make_unique<Library>(options, std::move(handler))) {}

HttpCodec::~HttpCodec() = default;

EncodedAnswer HttpCodec::answer(std::string head, AfterAnswer after) {
  return library_->answer(std::move(head), after);
}

std::string HttpCodec::refusal(int status, std::string_view message) {
  return library_->refusal(status, message);
}

}  // namespace trellis
