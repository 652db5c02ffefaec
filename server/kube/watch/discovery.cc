#include "server/kube/watch/discovery.h"

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "server/document/document.h"
#include "server/document/document_builder.h"
#include "server/document/json_objects.h"
#include "server/document/json_scanner.h"
#include "server/document/quantity.h"

namespace trellis {
namespace {

constexpr std::string_view kStatusPart = "/status";

std::string group_path(std::string_view group, std::string_view version) {
  if (group.empty()) return "/api/" + std::string(version);
  return "/apis/" + std::string(group) + "/" + std::string(version);
}

bool has_word(Value list, std::string_view word) {
  for (Value item : list.items()) {
    if (item.text() == word) return true;
  }
  return false;
}

class Discovery {
 public:
  explicit Discovery(const ApiGet& get) : get_(get) {}

  Result<Discovered> run() {
    if (auto failure = read_groups()) return error(*failure);
    Discovered discovered;
    for (const Kind& kind : known_kinds()) {
      // Only files contain cycles: this program writes them itself. Claims are made of templates by
      // a controller.
      if (kind.id == KindId::Cycle || kind.id == KindId::ClaimTemplate) continue;
      Result<std::optional<ServedKind>> served = find_served(kind);
      if (!served) return error(served.error().message);
      if (*served) {
        discovered.served.push_back(std::move(**served));
      } else if (UnknownVersions unknown = find_unknown(kind); !unknown.versions.empty()) {
        discovered.unknown.push_back(std::move(unknown));
      }
    }
    return discovered;
  }

 private:
  struct Resource {
    std::string name;
    bool has_status = false;
  };
  using Resources = std::map<std::string, Resource>;  // by kind, what can be listed and watched

  // In the version that is read best.
  Result<std::optional<ServedKind>> find_served(const Kind& kind) {
    for (std::string_view version : kind.versions) {
      Result<Resource> resource = find(kind, version);
      if (!resource) return error(resource.error().message);
      if (resource->name.empty()) continue;
      return std::optional(
          ServedKind{&kind, std::string(version), std::move(resource->name), resource->has_status});
    }
    return std::optional<ServedKind>();
  }

  // REQUIRES: the kind is served in no known version. A version that cannot be discovered now is no
  // reason to stop: nothing would be read of it.
  UnknownVersions find_unknown(const Kind& kind) {
    UnknownVersions unknown{&kind, {}};
    for (const auto& [group, version] : versions_) {
      if (group != kind.group) continue;
      Result<Resource> resource = find(kind, version);
      if (resource && !resource->name.empty()) unknown.versions.push_back(version);
    }
    return unknown;
  }

  // Why the answer cannot be read; none: it was, or it is a 404 and `document` stays empty.
  std::optional<std::string> read(const std::string& path, Document& document) {
    // The document refers to the answer's text, so that is kept.
    ApiAnswer& answer = answers_[path] = get_(path);
    if (answer.status == kNotFound && answer.whole()) return std::nullopt;
    if (!answer.ok()) return path + ": " + describe(answer);
    JsonScanner scanner(answer.body);
    DocumentBuilder builder(document);
    if (scanner.read_value(builder)) return std::nullopt;
    document.clear();
    return path + ": found " + scanner.error().found + ", expected " + scanner.error().expected;
  }

  std::optional<std::string> read_groups() {
    Document document;
    if (auto failure = read("/apis", document)) return failure;
    if (document.empty()) return "/apis: HTTP 404";
    for (Value group : document.root()["groups"].items()) {
      for (Value version : group["versions"].items()) {
        versions_.emplace(group["name"].text(), version["version"].text());
      }
    }
    versions_.emplace("", "v1");
    return std::nullopt;
  }

  // A result without a name: the server does not serve this kind in this version.
  Result<Resource> find(const Kind& kind, std::string_view version) {
    if (!versions_.contains({std::string(kind.group), std::string(version)})) return Resource();
    std::string path = group_path(kind.group, version);
    auto known = resources_.find(path);
    if (known == resources_.end()) {
      Resources resources;
      if (auto failure = read_resources(path, resources)) return error(*failure);
      known = resources_.emplace(path, std::move(resources)).first;
    }
    auto found = known->second.find(std::string(kind.kind));
    return found == known->second.end() ? Resource() : found->second;
  }

  std::optional<std::string> read_resources(const std::string& path, Resources& resources) {
    Document document;
    if (auto failure = read(path, document)) return failure;
    if (document.empty()) return std::nullopt;
    std::set<std::string, std::less<>> apart;
    for (Value resource : document.root()["resources"].items()) {
      std::string_view name = resource["name"].text();
      bool sub = name.find('/') != std::string_view::npos;
      bool read = has_word(resource["verbs"], "list") && has_word(resource["verbs"], "watch");
      if (!sub && read) {
        resources.emplace(resource["kind"].text(), Resource{std::string(name), false});
      }
      if (name.ends_with(kStatusPart)) {
        apart.emplace(name.substr(0, name.size() - kStatusPart.size()));
      }
    }
    for (auto& [kind, resource] : resources) resource.has_status = apart.contains(resource.name);
    return std::nullopt;
  }

  const ApiGet& get_;
  std::set<std::pair<std::string, std::string>> versions_;  // group and version
  std::map<std::string, ApiAnswer> answers_;                // by path
  std::map<std::string, Resources> resources_;              // by path
};

}  // namespace

std::string ServedKind::path() const { return group_path(kind->group, version) + "/" + resource; }

std::string ServedKind::path_in(std::string_view name_space) const {
  if (name_space.empty()) return path();
  return group_path(kind->group, version) + "/namespaces/" + std::string(name_space) + "/" +
         resource;
}

std::string ServedKind::name() const {
  return kind->group.empty() ? resource : resource + "." + std::string(kind->group);
}

ApiKind ServedKind::api_kind() const {
  std::string group = kind->group.empty() ? "" : std::string(kind->group) + "/";
  return {group + version, std::string(kind->kind)};
}

std::string UnknownVersions::name() const {
  return std::string(kind->kind) + (kind->group.empty() ? "" : "." + std::string(kind->group));
}

Diagnostic to_diagnostic(const UnknownVersions& unknown) {
  std::string served, read;
  for (const std::string& version : unknown.versions)
    served += (served.empty() ? "" : ", ") + version;
  for (std::string_view version : unknown.kind->versions) {
    read += read.empty() ? "" : " or ";
    read += version;
  }
  return {
      .severity = Severity::Warning,
      .found = unknown.name() + " served as " + served + " alone, so that nothing is read of it",
      .expected = read};
}

Result<Discovered> discover(const ApiGet& get) { return Discovery(get).run(); }

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
