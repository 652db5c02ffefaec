#include "server/manifest/kai_snapshot.h"

#include <algorithm>
#include <array>

#include "server/document/document_builder.h"
#include "server/document/json_scanner.h"

namespace trellis {
namespace {

struct SnapshotList {
  std::string_view key;  // of `rawObjects`
  std::string_view api_version;
  std::string_view kind;
};

// Lists of kinds that do not bear on a decision (CSIDrivers, BindRequests...) are left out.
constexpr SnapshotList kLists[] = {
    {"pods", "v1", "PodList"},
    {"nodes", "v1", "NodeList"},
    {"queues", "scheduling.run.ai/v2", "QueueList"},
    {"podGroups", "scheduling.run.ai/v2alpha2", "PodGroupList"},
    {"priorityClasses", "scheduling.k8s.io/v1", "PriorityClassList"},
    {"podDisruptionBudgets", "policy/v1", "PodDisruptionBudgetList"},
    {"persistentVolumeClaims", "v1", "PersistentVolumeClaimList"},
    {"resourceClaims", "resource.k8s.io/v1", "ResourceClaimList"},
    {"topologies", "kai.scheduler/v1alpha1", "TopologyList"},
};

constexpr std::array<std::string_view, 4> kArchiveMembers = {"config", "schedulerParams",
                                                             "rawObjects", "discovery"};

// Reads the members of an object, and calls `take` at the value of each; false: the text is no
// object, or `take` has refused.
template <class Take>
bool read_members(JsonScanner& scanner, Take take) {
  if (!scanner.take('{')) return false;
  Document keys;
  while (scanner.peek() != '}') {
    std::string_view key;
    if (!scanner.read_key(keys, key) || !take(key)) return false;
    if (!scanner.take(',')) break;
  }
  return scanner.take('}');
}

bool skip_value(JsonScanner& scanner) {
  if (scanner.peek() == '{' || scanner.peek() == '[') return scanner.skip_balanced();
  Document scratch;
  DocumentBuilder builder(scratch);
  return scanner.read_value(builder);
}

}  // namespace

std::optional<std::string> lists_of_snapshot(std::string_view text) {
  JsonScanner scanner(text);
  std::string lists;
  bool any = false;
  auto add_list = [&](std::string_view key) {
    bool list = scanner.peek() == '[';
    size_t begin = scanner.offset();
    if (!skip_value(scanner)) return false;
    const auto* known = std::ranges::find(kLists, key, &SnapshotList::key);
    if (!list || known == std::end(kLists)) return true;
    lists.append("{\"apiVersion\":\"").append(known->api_version).append("\",\"kind\":\"");
    lists.append(known->kind).append("\",\"items\":");
    lists.append(text.substr(begin, scanner.offset() - begin)).append("}\n");
    return true;
  };
  bool read = read_members(scanner, [&](std::string_view key) {
    if (std::ranges::find(kArchiveMembers, key) == kArchiveMembers.end()) return false;
    if (key != "rawObjects") return skip_value(scanner);
    any = true;
    return read_members(scanner, add_list);
  });
  return read && any ? std::optional(std::move(lists)) : std::nullopt;
}

}  // namespace trellis
