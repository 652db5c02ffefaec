#include "plugins/numa/zone_table.h"

namespace trellis {

ZoneForm zone_form(const Node& node, const NumaSettings& settings) {
  const NumaTopology& topology = *node.numa;
  size_t zones = topology.zones.size();
  ZoneForm form{settings, static_cast<uint32_t>(zones), 0, topology.resources, {}, {}};
  for (size_t zone = 0; zone < zones; ++zone) {
    form.plain |= ZoneMask{topology.zones[zone].plain} << zone;
  }
  for (size_t column = 0; column < topology.resources.size(); ++column) {
    ZoneMask listed = 0;
    for (size_t zone = 0; zone < zones; ++zone) {
      listed |= ZoneMask{topology.available[column * zones + zone] != kUnlisted} << zone;
    }
    form.listed.push_back(listed);
  }
  for (const ResourceAmount& item : node.allocatable.items()) {
    if (item.amount > 0) form.node_lists.push_back(item.resource);
  }
  return form;
}

void ZoneTable::enter(NodeId node, const ZoneForm& form) {
  auto [found, made] = forms_.try_emplace(form, static_cast<uint32_t>(rows_.size()));
  if (made) rows_.push_back({form.resources.size() * form.zones, {}, {}, {}});
  Entry& entry = entries_[node];
  if (entry.form == found->second) return;
  remove(node);
  Rows& rows = rows_[found->second];
  entry.form = found->second;
  if (!rows.vacant.empty()) {
    entry.row = rows.vacant.back();
    rows.vacant.pop_back();
    return;
  }
  entry.row = rows.width == 0 ? 0 : static_cast<uint32_t>(rows.now.size() / rows.width);
  rows.now.resize(rows.now.size() + rows.width);
  rows.future.resize(rows.now.size());
}

void ZoneTable::remove(NodeId node) {
  Entry& entry = entries_[node];
  if (entry.form != kNoForm) rows_[entry.form].vacant.push_back(entry.row);
  entry.form = kNoForm;
}

std::span<const int64_t> ZoneTable::free(NodeId node, FitMode mode) const {
  const Entry& entry = entries_[node];
  const Rows& rows = rows_[entry.form];
  const std::vector<int64_t>& cells = mode == FitMode::Now ? rows.now : rows.future;
  return {cells.data() + entry.row * rows.width, rows.width};
}

std::span<int64_t> ZoneTable::free(NodeId node, FitMode mode) {
  const Entry& entry = entries_[node];
  Rows& rows = rows_[entry.form];
  std::vector<int64_t>& cells = mode == FitMode::Now ? rows.now : rows.future;
  return {cells.data() + entry.row * rows.width, rows.width};
}

}  // namespace trellis
