#include "server/http/http_message.h"

#include "server/document/document_writer.h"
#include "server/text/printable.h"

namespace trellis {

HttpResponse error_response(int status, std::string_view message) {
  HttpResponse response;
  response.status = status;
  response.body = "{\"error\": ";
  append_quoted(response.body, message);
  response.body += "}\n";
  return response;
}

HttpResponse text_response(const std::string& text) {
  return {.content_type = "text/plain; charset=utf-8", .body = printable_lines(text, Colours::Off)};
}

}  // namespace trellis
