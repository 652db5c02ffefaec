// The head of a request (request line and headers), read strictly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/http_message.h"

namespace trellis {

enum class AfterAnswer { KeepOpen, Close };

struct RequestHead {
  HttpRequest request;  // with everything but what its target consists of
  std::string target;
  bool has_one_host = false;  // or needs none: HTTP/1.0
  int64_t body_bytes = 0;     // that follow the head
  bool is_chunked = false;    // the body: it is not read
  AfterAnswer after = AfterAnswer::KeepOpen;
};

// nullopt: proxies and servers on the way may read this head in different ways (RFC 9112). Forms
// that programs are known to read in different ways are refused, because a second request can hide
// in the difference: a bare CR or LF, blanks before a colon, header lines that are continued or
// have no colon, more than single blanks in the request line, several lengths or a length beside a
// transfer encoding, a name in the target that is not the Host. REQUIRES: `head` ends with its
// empty line. Cost: O(length).
std::optional<RequestHead> parse_request_head(std::string_view head);

}  // namespace trellis
