#include "server/grouping/missing_names.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace trellis {
namespace {

constexpr size_t kMostWarnings = 20;

}  // namespace

void MissingNames::add_group(std::string_view name_space, const std::string& name, SourcePos pos,
                             std::string field) {
  groups_.try_emplace(std::string(name_space) + "/" + name, Group{pos, std::move(field)});
}

void MissingNames::warn(const Records& records, const StringTable& strings, Report& report) const {
  if (queues_.empty() && groups_.empty()) return;
  std::vector<std::string_view> queue_names;
  for (const QueueRecord& queue : records.queues) queue_names.push_back(queue.queue.name);
  size_t warnings = 0;
  for (const auto& [name, pos] : queues_) {
    if (++warnings > kMostWarnings) break;
    report.warning(Place{pos, ""},
                   {"the queue " + in_quotes(name) + ", which is not in the input",
                    "the name of a Queue (the gang waits)", report.nearest(name, queue_names)});
  }
  warnings = 0;
  for (const auto& [name, missing] : groups_) {
    if (++warnings > kMostWarnings) break;
    std::string_view name_space = std::string_view(name).substr(0, name.find('/'));
    std::vector<std::string_view> names;
    for (const PodGroupRecord& group : records.pod_groups) {
      if (strings.view(group.meta.key.name_space) != name_space) continue;
      names.push_back(strings.view(group.meta.key.name));
    }
    std::string_view word = std::string_view(name).substr(name_space.size() + 1);
    report.warning(Place{missing.pos, ""},
                   {missing.field + " " + in_quotes(word) + ", which is not in the input",
                    "the name of a PodGroup (the gang waits)", report.nearest(word, names)});
  }
}

}  // namespace trellis
