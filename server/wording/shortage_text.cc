#include "server/wording/shortage_text.h"

#include <algorithm>

#include "server/wording/quantity_text.h"

namespace trellis {

std::vector<Shortage> by_name(const ResourceTable& resources, std::span<const Shortage> shortages) {
  std::vector<Shortage> sorted(shortages.begin(), shortages.end());
  std::sort(sorted.begin(), sorted.end(), [&](const Shortage& a, const Shortage& b) {
    return resources.name(a.resource) < resources.name(b.resource);
  });
  return sorted;
}

std::string amount_text(const ResourceTable& resources, ResourceId resource, int64_t amount) {
  std::string quantity = quantity_text(resources, resource, amount);
  if (!ResourceTable::is_gpu(resource)) return quantity + " " + resources.name(resource);
  return milli_text(amount) + (amount == kMilli ? " GPU" : " GPUs");
}

std::string amounts_text(const ResourceTable& resources, std::span<const Shortage> amounts) {
  std::string text;
  for (const Shortage& amount : by_name(resources, amounts)) {
    if (!text.empty()) text += ", ";
    text += amount_text(resources, amount.resource, amount.by);
  }
  return text;
}

std::string remedy_text(const ResourceTable& resources, const Remedy& remedy,
                        const std::string& place) {
  std::string where = place.empty() ? "" : " in " + place;
  std::string nodes;
  if (remedy.more_nodes > 0) {
    nodes = std::to_string(remedy.more_nodes) + " more node";
    nodes += (remedy.more_nodes == 1 ? "" : "s") + where;
  }
  if (remedy.freed.empty()) return nodes;
  std::string freed = amounts_text(resources, remedy.freed) + " freed";
  return nodes.empty() ? freed + where : nodes + ", or " + freed;
}

}  // namespace trellis
