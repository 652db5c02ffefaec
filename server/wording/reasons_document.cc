#include "server/wording/reasons_document.h"

#include <string_view>

#include "framework/reason_catalog.h"

namespace trellis {
namespace {

std::string_view about(ReasonScope scope) {
  switch (scope) {
    case ReasonScope::Node:
      return "node";
    case ReasonScope::Workload:
      return "workload";
    default:
      return "gang";
  }
}

}  // namespace

std::string reasons_document() {
  std::string text =
      "# Reason codes\n\n"
      "Why a node refuses a pod, and why a gang or a workload waits.\n"
      "A reason carries its code, the plugin that gave it (none: the core), a message, and "
      "details: "
      "pods needed and found, nodes looked at, the topology, level and nearest domain, and how "
      "many "
      "nodes refuse for which cause.\n\n"
      "*More nodes* says whether more nodes could end the wait.\n"
      "In a live cluster only pods whose gang waits for such a reason are `Unschedulable`, which "
      "cluster autoscalers look for "
      "([status](status.md#cluster-autoscalers)).\n\n"
      "| code | of a | more nodes | meaning | what to do |\n|---|---|---|---|---|\n";
  for (const ReasonEntry& entry : all_reasons()) {
    text.append("| `").append(entry.name).append("` | ").append(about(entry.scope));
    text.append(entry.more_nodes == MoreNodes::Help ? " | help" : " | -");
    text.append(" | ").append(entry.meaning).append(" | ").append(entry.remedy).append(" |\n");
  }
  return text;
}

}  // namespace trellis
