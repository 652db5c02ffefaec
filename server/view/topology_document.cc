#include "server/view/topology_document.h"

#include <algorithm>
#include <string>

#include "server/wording/quantity_text.h"

namespace trellis {
namespace {

void write_texts(DocumentWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  out.begin_array(key);
  for (const std::string& text : texts) out.text(text);
  out.end_array();
}

}  // namespace

void write_resources(DocumentWriter& out, const ResourceTable& resources,
                     const ResourceList& list) {
  // Sorted by name, since ids depend on the order of the input.
  std::vector<ResourceAmount> items(list.items().begin(), list.items().end());
  std::sort(items.begin(), items.end(), [&](const ResourceAmount& a, const ResourceAmount& b) {
    return resources.name(a.resource) < resources.name(b.resource);
  });
  out.begin_object();
  for (const ResourceAmount& item : items) {
    out.field(resources.name(item.resource), quantity_text(resources, item.resource, item.amount));
  }
  out.end_object();
}

void write_domain(DocumentWriter& out, const ResourceTable& resources, const DomainReport& domain) {
  out.begin_object();
  out.field("id", domain.id);
  out.field("name", domain.name);
  if (!domain.level.empty()) out.field("level", domain.level);
  write_texts(out, "path", domain.path);
  if (domain.parent >= 0) out.field("parent", domain.parent);
  out.field("depth", domain.depth);
  out.field("nodes", domain.nodes);
  out.key("available");
  write_resources(out, resources, domain.available);
  if (!domain.unavailable.items().empty()) {
    out.key("unavailable");
    write_resources(out, resources, domain.unavailable);
  }
  out.key("allocated");
  write_resources(out, resources, domain.allocated);
  out.begin_array("allocatablePods");
  for (const ClassCount& pods : domain.allocatable_pods) {
    out.begin_object();
    out.field("class", pods.gang);
    out.field("count", pods.count);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write_topologies(DocumentWriter& out, const ResourceTable& resources,
                      const std::vector<TopologyReport>& topologies) {
  out.begin_object();
  out.begin_array("topologies");
  for (const TopologyReport& topology : topologies) {
    out.begin_object();
    out.field("name", topology.name);
    write_texts(out, "levels", topology.levels);
    out.begin_array("domains");
    for (const DomainReport& domain : topology.domains) write_domain(out, resources, domain);
    out.end_array();
    if (!topology.incomplete_nodes.empty()) {
      write_texts(out, "incompleteNodes", topology.incomplete_nodes);
    }
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.finish();
}

}  // namespace trellis
