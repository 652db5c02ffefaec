// Turns the bytes of a request's head into the bytes of its answer. cpp-httplib reads the head and
// writes the answer, without a socket. Everything else that it would do is switched off
// (docs/design/007-connections-of-our-own.md).
//
// One codec a thread. Guarantees: an answer for any bytes, with every header of docs/http.md; an
// exception of the handler becomes a 500.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "server/http/http_message.h"

namespace trellis {

enum class AfterAnswer { KeepOpen, Close };

struct EncodedAnswer {
  std::string bytes;
  AfterAnswer after = AfterAnswer::KeepOpen;
};

enum class AllowedNames {
  Any,
  Local,  // addresses and localhost: for a listener on loopback
};

struct CodecOptions {
  AllowedNames names = AllowedNames::Local;
  int64_t idle_s = 15;             // reported to clients that keep a connection
  int64_t compressed_from = 1024;  // bytes of a body
};

class HttpCodec {
 public:
  HttpCodec(const CodecOptions& options, HttpHandler handler);
  ~HttpCodec();

  // `head` ends with the empty line. Cost: the handler's, and O(bytes of the answer).
  EncodedAnswer answer(std::string head, AfterAnswer after);

  // An answer to something that is no request. It closes the connection.
  std::string refusal(int status, std::string_view message);

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace trellis
