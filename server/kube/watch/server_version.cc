#include "server/kube/watch/server_version.h"

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "server/document/json_objects.h"
#include "server/document/quantity.h"

namespace trellis {
namespace {

constexpr ServerVersion kFirstThatCopies = {1, 35};

std::optional<int64_t> leading_number(std::string_view text) {
  return to_integer(text.substr(0, text.find_first_not_of("0123456789")));
}

}  // namespace

Result<ServerVersion> read_server_version(const ApiGet& get) {
  ApiAnswer answer = get("/version");
  if (!answer.ok()) return error("/version: " + describe(answer));
  Json object = parse_object(answer.body);
  if (!object.is_object()) return error("/version: an answer that is no object");
  std::optional<int64_t> major = leading_number(text_at(object, "major"));
  std::optional<int64_t> minor = leading_number(text_at(object, "minor"));
  if (!major || !minor) return error("/version: an answer without major and minor");
  return ServerVersion{*major, *minor};
}

bool copies_labels_of_binds(const ServerVersion& version) {
  return std::is_gteq(version <=> kFirstThatCopies);
}

}  // namespace trellis
