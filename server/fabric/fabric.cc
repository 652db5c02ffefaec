#include "server/fabric/fabric.h"

#include "server/document/document.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

std::string line_text(const FabricPlace& at) { return "line " + std::to_string(at.line); }

}  // namespace

void FabricBuilder::error(const FabricPlace& at, FabricFinding finding) {
  diagnostics_.push_back({.file = std::string(file_),
                          .document = at.document,
                          .line = at.line,
                          .path = at.path,
                          .found = std::move(finding.found),
                          .expected = std::move(finding.expected),
                          .nearest = std::move(finding.nearest)});
}

void FabricBuilder::note(std::string text) {
  diagnostics_.push_back(
      {.severity = Severity::Note, .file = std::string(file_), .found = std::move(text)});
}

int32_t FabricBuilder::mention(const std::string& name, const FabricPlace& at) {
  auto [found, added] = switches_.emplace(name, static_cast<int32_t>(fabric_.switches.size()));
  if (added) {
    fabric_.switches.push_back({.name = name});
    seen_.push_back({.mentioned = at});
  }
  return found->second;
}

int32_t FabricBuilder::define(const std::string& name, const FabricPlace& at) {
  int32_t index = mention(name, at);
  FabricPlace& defined = seen_[static_cast<size_t>(index)].defined;
  if (defined.line > 0) {
    error(at, {.found = "switch " + in_quotes(name) + " a second time",
               .expected = "each switch once (the first is at " + line_text(defined) + ")"});
  } else {
    defined = at;
  }
  return index;
}

void FabricBuilder::set_label(int32_t of, const std::string& key, const std::string& value) {
  fabric_.switches[static_cast<size_t>(of)].labels[key] = value;
}

void FabricBuilder::connect(int32_t parent, int32_t child, const FabricPlace& at) {
  FabricSwitch& below = fabric_.switches[static_cast<size_t>(child)];
  if (below.parent != kNoSwitch && below.parent != parent) {
    const std::string& other = fabric_.switches[static_cast<size_t>(below.parent)].name;
    error(at, {.found = "switch " + in_quotes(below.name),
               .expected = "a switch below one other switch (it is below " + in_quotes(other) +
                           " already)"});
    return;
  }
  below.parent = parent;
}

FabricNode* FabricBuilder::attach(const std::string& node, int32_t to, const FabricPlace& at) {
  auto [found, added] = nodes_.emplace(node, static_cast<int32_t>(fabric_.nodes.size()));
  auto index = static_cast<size_t>(found->second);
  if (added) {
    fabric_.nodes.push_back({.name = node, .at = to});
    attached_.push_back(at);
  } else if (fabric_.nodes[index].at != to) {
    error(at, {.found = "node " + in_quotes(node),
               .expected = "a node at one switch (it is at another since " +
                           line_text(attached_[index]) + ")"});
    return nullptr;
  }
  return &fabric_.nodes[index];
}

void FabricBuilder::check_defined() {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i].defined.line > 0) names.emplace_back(fabric_.switches[i].name);
  }
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i].defined.line > 0) continue;
    const std::string& name = fabric_.switches[i].name;
    error(seen_[i].mentioned, {.found = in_quotes(name),
                               .expected = "a switch that is described",
                               .nearest = nearest_word(name, names)});
  }
}

// A switch that is above itself becomes a root, so that every walk upwards ends.
void FabricBuilder::cut_circles() {
  std::vector<int32_t> walk(fabric_.switches.size(), kNoSwitch);  // by which walk it was reached
  for (size_t i = 0; i < fabric_.switches.size(); ++i) {
    auto number = static_cast<int32_t>(i);
    for (int32_t at = number; at != kNoSwitch;) {
      auto here = static_cast<size_t>(at);
      if (walk[here] != kNoSwitch && walk[here] != number) break;
      if (walk[here] == number) {
        error(seen_[here].mentioned, {.found = "switch " + in_quotes(fabric_.switches[here].name),
                                      .expected = "a switch that is not above itself"});
        fabric_.switches[here].parent = kNoSwitch;
        break;
      }
      walk[here] = number;
      at = fabric_.switches[here].parent;
    }
  }
}

Fabric FabricBuilder::finish(std::string name, LoneSwitches lone_switches) {
  if (lone_switches == LoneSwitches::Refused) check_defined();
  cut_circles();
  if (fabric_.nodes.empty()) {
    error({}, {.found = name.empty() ? "no nodes" : "no nodes in topology " + in_quotes(name),
               .expected = "switches with nodes"});
  }
  fabric_.name = std::move(name);
  return std::move(fabric_);
}

}  // namespace trellis
