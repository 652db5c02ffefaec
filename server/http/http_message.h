// A request as the routes receive it, and their answer, without sockets and types of a library.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

struct HttpRequest {
  std::string method;                        // GET, HEAD, or POST where the server reads bodies
  std::string path;                          // percent-decoded, for messages
  std::vector<std::string> segments;         // percent-decoded parts of the path; "/" has none
  std::map<std::string, std::string> query;  // percent-decoded; each key once
  std::string host, origin, accept, accept_encoding, if_none_match;
  std::string body;  // of a POST
};

// A body of more than 1 kB is compressed when the client accepts gzip, unless `headers` has a
// Content-Encoding. An ETag that the client already has turns the answer into a 304. Headers here
// replace the server's own headers of the same name.
struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// Called on several threads at once, with GET semantics for HEAD as well.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// {"error": "MESSAGE"}
HttpResponse error_response(int status, std::string_view message);
// A text for people: characters that do not print are made visible (printable.h).
HttpResponse text_response(const std::string& text);

}  // namespace trellis
