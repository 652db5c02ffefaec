#include "server/view/preference_output.h"

#include <string_view>
#include <vector>

#include "server/view/text_table.h"

namespace trellis {
namespace {

constexpr size_t kGroupsShown = 60;

// The values from the coarsest label to the group's own; "" for nodes without the label.
std::vector<std::string_view> path_of(const StringTable& strings,
                                      const std::vector<DividedGroup>& groups, size_t index) {
  std::vector<std::string_view> path;
  for (auto at = static_cast<int32_t>(index); at > 0; at = groups[static_cast<size_t>(at)].parent) {
    StrId value = groups[static_cast<size_t>(at)].value;
    path.insert(path.begin(), value.valid() ? strings.view(value) : std::string_view());
  }
  return path;
}

// The indexes of all groups; each is followed by the groups below it.
std::vector<size_t> depth_first(const std::vector<DividedGroup>& groups) {
  std::vector<std::vector<size_t>> below(groups.size());
  for (size_t i = 1; i < groups.size(); ++i) {
    below[static_cast<size_t>(groups[i].parent)].push_back(i);
  }
  std::vector<size_t> order;
  std::vector<size_t> open{0};
  while (!open.empty()) {
    size_t index = open.back();
    open.pop_back();
    order.push_back(index);
    open.insert(open.end(), below[index].rbegin(), below[index].rend());
  }
  return order;
}

std::string group_name(const StringTable& strings, const DividedGroup& group, size_t depth) {
  if (!group.label.valid()) return "all nodes";
  std::string name(2 * depth, ' ');
  name += strings.view(group.label);
  if (!group.value.valid()) return name + " missing";
  return (name += "=") += strings.view(group.value);
}

std::string table_of(const StringTable& strings, const PlacementGroups& divided, TableForm form) {
  TextTable table({{"GROUP"},
                   {"NODES", Align::Right},
                   {"RUNNING", Align::Right},
                   {"ROOM", Align::Right},
                   {"WANTED", Align::Right},
                   {"GIVEN", Align::Right}});
  size_t shown = 0;
  for (size_t index : depth_first(divided.groups)) {
    if (++shown > kGroupsShown) break;
    const DividedGroup& group = divided.groups[index];
    size_t depth = path_of(strings, divided.groups, index).size();
    std::vector<Cell> cells{{group_name(strings, group, depth)}};
    for (int64_t count : {group.nodes, group.running, group.room, group.wanted, group.given}) {
      cells.push_back({std::to_string(count)});
    }
    table.add_row(std::move(cells));
  }
  std::string text = "\nplacement preferences, " + std::to_string(divided.pods) +
                     (divided.pods == 1 ? " pod" : " pods") + " to place:\n";
  text += table.render(form);
  if (divided.groups.size() > kGroupsShown) {
    text += "... and " + std::to_string(divided.groups.size() - kGroupsShown) + " more groups\n";
  }
  return text;
}

}  // namespace

void write_preferences(DocumentWriter& out, const StringTable& strings,
                       std::span<const PlacementGroups> divided) {
  if (divided.empty()) return;
  out.begin_array("preferences");
  for (const PlacementGroups& one : divided) {
    out.begin_object();
    out.field("pods", one.pods);
    out.begin_array("groups");
    for (size_t i = 0; i < one.groups.size(); ++i) {
      const DividedGroup& group = one.groups[i];
      out.begin_object();
      if (group.label.valid()) out.field("label", strings.view(group.label));
      out.begin_array("path");
      for (std::string_view value : path_of(strings, one.groups, i)) out.text(value);
      out.end_array();
      out.field("nodes", group.nodes);
      out.field("running", group.running);
      out.field("room", group.room);
      out.field("wanted", group.wanted);
      out.field("given", group.given);
      out.end_object();
    }
    out.end_array();
    out.end_object();
  }
  out.end_array();
}

std::string preferences_text(const StringTable& strings, std::span<const PlacementGroups> divided,
                             TableForm form) {
  std::string text;
  for (const PlacementGroups& one : divided) text += table_of(strings, one, form);
  return text;
}

}  // namespace trellis
