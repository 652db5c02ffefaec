// Turns the head of a request into the bytes of its answer, which has every header of docs/http.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/http/http_message.h"
#include "server/http/request_head.h"

namespace trellis {

struct EncodedAnswer {
  std::string bytes;
  AfterAnswer after = AfterAnswer::KeepOpen;
};

enum class Bodies {
  Refused,  // GET and HEAD alone are answered
  Read,     // POST, too
};

enum class AllowedNames {
  Any,
  Local,  // addresses and localhost: for a listener on loopback
};

struct CodecOptions {
  AllowedNames names = AllowedNames::Local;
  Bodies bodies = Bodies::Refused;
  int64_t idle_s = 15;             // reported to clients that keep a connection
  int64_t compressed_from = 1024;  // bytes of a body
};

class HttpCodec {
 public:
  HttpCodec(const CodecOptions& options, HttpHandler handler);

  // An exception of the handler becomes a 500. May be called on several threads at once. Cost: the
  // handler's, and O(bytes of the answer).
  EncodedAnswer answer(RequestHead head) const;

 private:
  HttpResponse judged(RequestHead& head) const;

  CodecOptions options_;
  HttpHandler handler_;
};

// An answer to something that is no request. It closes the connection.
std::string refusal(int status, std::string_view message);

}  // namespace trellis
