#include "server/manifest/skipped_objects.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "server/objects/kinds.h"

namespace trellis {
namespace {

using SkippedKinds = std::map<std::string, int64_t>;

// "3 objects: 2 A, 1 B", the most frequent kind first. `one` and `many` say which objects.
std::string skipped_text(const SkippedKinds& skipped, std::string_view one, std::string_view many) {
  std::vector<std::pair<int64_t, std::string>> counts;
  int64_t total = 0;
  for (const auto& [kind, count] : skipped) {
    counts.emplace_back(-count, kind);
    total += count;
  }
  std::sort(counts.begin(), counts.end());
  std::string_view which = total == 1 ? one : many;
  std::string text = std::to_string(total) + (total == 1 ? " object" : " objects");
  if (!which.empty()) text.append(" ").append(which);
  text += ": ";
  for (size_t i = 0; i < counts.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(-counts[i].first) + " " + counts[i].second;
  }
  return text;
}

}  // namespace

void report_skipped(const std::vector<OwnerRecord>& owners, const StringTable& strings,
                    Report& report) {
  SkippedKinds silent;
  SkippedKinds asking;
  for (const OwnerRecord& owner : owners) {
    if (owner.used) continue;
    std::string kind(strings.view(owner.meta.key.kind));
    // An unknown object of a known kind name is shown with its API group.
    std::string_view group = strings.view(owner.meta.key.group);
    if (is_known_kind_name(kind) && !group.empty()) kind += "." + std::string(group);
    ++(owner.asks_scheduler ? asking : silent)[kind];
  }
  if (!asking.empty()) {
    report.summary(Severity::Warning, "skipped " +
                                          skipped_text(asking, "that names a queue or a scheduler",
                                                       "that name a queue or a scheduler") +
                                          "; without their pods in the input they take no room");
  }
  if (!silent.empty()) report.summary(Severity::Note, "skipped " + skipped_text(silent, "", ""));
}

}  // namespace trellis
