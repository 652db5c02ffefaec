#include "server/view/topology_output.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "framework/topology.h"
#include "server/text/printable.h"
#include "server/view/bar.h"
#include "server/view/gang_summary.h"
#include "server/view/text_table.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

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
}

namespace {

constexpr size_t kNodesDrawn = 64;

int64_t gpus_of(const ResourceList& list) { return list.get(kGpu) + list.get(kAmdGpu); }

bool has_gpus(const DomainReport& domain) {
  return gpus_of(domain.available) + gpus_of(domain.unavailable) + gpus_of(domain.allocated) > 0;
}

struct Line {
  std::string stem;  // the branches drawn before the domain
  const DomainReport* domain;
};

struct Branches {
  std::string_view middle, last, through, past;
};

Branches branches_of(Glyphs glyphs) {
  if (glyphs == Glyphs::Ascii) return {"|- ", "`- ", "|  ", "   "};
  return {"├─ ", "└─ ", "│  ", "   "};
}

class TreeDrawing {
 public:
  TreeDrawing(const TopologyReport& topology, Glyphs glyphs, Colours colours,
              const TopologyView& view)
      : topology_(topology), glyphs_(glyphs), colours_(colours), view_(view) {
    counts_gpus_ = !topology.domains.empty() && has_gpus(topology.domains.back());
    draws_nodes_ = count_nodes() <= kNodesDrawn || view.depth >= 0;
  }

  std::string draw() const {
    std::vector<Line> lines = view_.level.empty() ? arrange() : of_level();
    size_t name_width = 0;
    size_t share_width = 0;
    for (const Line& line : lines) {
      name_width = std::max(name_width, display_width(line.stem) + display_width(name_of(line)));
      share_width = std::max(share_width, share_text(*line.domain).size());
    }
    std::string text = styled(heading(), Style::Bold, colours_) + "\n";
    for (const Line& line : lines) text += draw_line(line, name_width, share_width);
    return text + remarks();
  }

 private:
  bool is_node(const DomainReport& domain) const { return domain.level == kHostname; }

  size_t count_nodes() const {
    auto node = [&](const DomainReport& domain) { return is_node(domain); };
    return static_cast<size_t>(
        std::count_if(topology_.domains.begin(), topology_.domains.end(), node));
  }

  int64_t amount_of(const ResourceList& list) const {
    return counts_gpus_ ? gpus_of(list) : list.get(kCpu);
  }

  // The used part of what can be used at this moment.
  Share share_of(const DomainReport& domain) const {
    int64_t used = amount_of(domain.allocated);
    return {used, used + amount_of(domain.available)};
  }

  std::string share_text(const DomainReport& domain) const {
    Share share = share_of(domain);
    return milli_text(share.used) + "/" + milli_text(share.total);
  }

  std::string name_of(const Line& line) const {
    if (!view_.level.empty()) return printable(path_text(line.domain->path));
    return printable(line.domain->parent < 0 ? topology_.name : line.domain->name);
  }

  std::string heading() const {
    std::string text = "topology " + topology_.name + ":";
    for (const std::string& level : topology_.levels) {
      text += level == topology_.levels.front() ? " " : " > ";
      text += level;
    }
    return text;
  }

  bool is_of_level(const DomainReport& domain) const {
    return !domain.level.empty() &&
           (domain.level == view_.level || short_level(domain.level) == view_.level);
  }

  bool is_drawn(const DomainReport& domain) const {
    if (view_.depth >= 0 && domain.depth > view_.depth) return false;
    return draws_nodes_ || !is_node(domain);
  }

  void sort(std::vector<const DomainReport*>& domains) const {
    if (view_.order == DomainOrder::Name) return;
    auto measure = [&](const DomainReport* domain) {
      return amount_of(view_.order == DomainOrder::Free ? domain->available : domain->allocated);
    };
    std::stable_sort(
        domains.begin(), domains.end(),
        [&](const DomainReport* a, const DomainReport* b) { return measure(a) > measure(b); });
  }

  std::vector<Line> of_level() const {
    std::vector<const DomainReport*> domains;
    for (const DomainReport& domain : topology_.domains) {
      if (is_of_level(domain)) domains.push_back(&domain);
    }
    sort(domains);
    std::vector<Line> lines;
    for (const DomainReport* domain : domains) lines.push_back({"", domain});
    return lines;
  }

  // The lines, parents before children. In the reports children come first, so that a walk from the
  // end meets each parent first; children are put back into their own order.
  std::vector<Line> arrange() const {
    std::vector<std::vector<const DomainReport*>> children(topology_.domains.size());
    for (const DomainReport& domain : topology_.domains) {
      if (domain.parent < 0 || !is_drawn(domain)) continue;
      children[static_cast<size_t>(domain.parent)].push_back(&domain);
    }
    for (std::vector<const DomainReport*>& siblings : children) sort(siblings);
    Branches branches = branches_of(glyphs_);
    struct Pending {
      std::string stem, below;
      const DomainReport* domain;
    };
    std::vector<Pending> pending;
    if (!topology_.domains.empty()) pending.push_back({"", "", &topology_.domains.back()});
    std::vector<Line> lines;
    while (!pending.empty()) {
      Pending next = std::move(pending.back());
      pending.pop_back();
      lines.push_back({next.stem, next.domain});
      const auto& below = children[static_cast<size_t>(next.domain->id)];
      for (size_t i = below.size(); i > 0; --i) {
        bool last = i == below.size();
        pending.push_back({next.below + std::string(last ? branches.last : branches.middle),
                           next.below + std::string(last ? branches.past : branches.through),
                           below[i - 1]});
      }
    }
    return lines;
  }

  std::string draw_line(const Line& line, size_t name_width, size_t share_width) const {
    std::string name = name_of(line);
    std::string share = share_text(*line.domain);
    size_t used_width = display_width(line.stem) + display_width(name);
    int64_t nodes = line.domain->nodes;
    std::string text = line.stem + name + std::string(name_width - used_width + 2, ' ');
    text += draw_bar(share_of(*line.domain));
    text += " " + std::string(share_width - share.size(), ' ') + share;
    text += counts_gpus_ ? " GPUs" : " CPUs";
    text += ", " + grouped_text(nodes) + (nodes == 1 ? " node" : " nodes");
    int64_t unavailable = amount_of(line.domain->unavailable);
    if (unavailable > 0) text += ", " + milli_text(unavailable) + " idle on closed nodes";
    return text + "\n";
  }

  std::string draw_bar(Share share) const {
    Style style = share.used <= 0             ? Style::Dim
                  : share.used >= share.total ? Style::Waiting
                                              : Style::Good;
    return styled(bar(share, kBarWidth, glyphs_), style, colours_);
  }

  std::string remarks() const {
    std::string text;
    if (!draws_nodes_ && view_.level.empty()) {
      text += "level " + std::string(kHostname) +
              " is not drawn: " + grouped_text(static_cast<int64_t>(count_nodes())) + " nodes\n";
    }
    if (!topology_.incomplete_nodes.empty()) {
      size_t count = topology_.incomplete_nodes.size();
      text += grouped_text(static_cast<int64_t>(count)) + (count == 1 ? " node" : " nodes") +
              " without some level's label, such as " + topology_.incomplete_nodes.front() + "\n";
    }
    return text;
  }

  const TopologyReport& topology_;
  Glyphs glyphs_;
  Colours colours_;
  const TopologyView& view_;
  bool counts_gpus_ = false;
  bool draws_nodes_ = true;
};

// The branches drawn before each subgroup.
std::vector<std::string> stems_of(const std::vector<Subgroup>& subgroups, Glyphs glyphs) {
  Branches branches = branches_of(glyphs);
  size_t count = subgroups.size();
  auto parent_of = [&](size_t i) {
    return subgroups[i].parent < 0 ? count : static_cast<size_t>(subgroups[i].parent);
  };
  std::vector<size_t> last_child(count + 1, count);
  for (size_t i = 0; i < count; ++i) last_child[parent_of(i)] = i;
  std::vector<std::string> below(count + 1);
  std::vector<std::string> stems(count);
  for (size_t i = 0; i < count; ++i) {
    bool last = last_child[parent_of(i)] == i;
    const std::string& above = below[parent_of(i)];
    stems[i] = above + std::string(last ? branches.last : branches.middle);
    below[i] = above + std::string(last ? branches.past : branches.through);
  }
  return stems;
}

std::string subgroup_tree(const Cluster& cluster, const CycleRecord& record, GangId id,
                          Glyphs glyphs, Colours colours) {
  const StringTable& strings = cluster.vocabulary().strings;
  const Gang& gang = cluster.gangs()[id];
  const GangOutcome& outcome = record.gangs[id];
  std::string name = std::string(strings.view(gang.name_space)) + "/" + gang.name;
  std::string text = styled("gang " + name + ":", Style::Bold, colours) + " " +
                     std::string(to_string(outcome.status));
  if (outcome.placement) text += ", " + placement_text(outcome.placement);
  text += "\n";
  std::vector<std::string> stems = stems_of(gang.subgroups, glyphs);
  std::vector<SubgroupSummary> summaries = summarize_subgroups(cluster, record, id);
  size_t width = 0;
  for (size_t i = 0; i < stems.size(); ++i) {
    stems[i] += printable(strings.view(gang.subgroups[i].name));
    width = std::max(width, display_width(stems[i]));
  }
  for (size_t i : depth_first(gang.subgroups)) {
    const SubgroupOutcome& one = outcome.subgroups[i];
    text += stems[i] + std::string(width - display_width(stems[i]) + 2, ' ');
    text.append(to_string(one.status)).append(", ");
    text += std::to_string(summaries[i].placed) + "/" + std::to_string(summaries[i].pods) + " pods";
    if (one.placement) text += ", " + placement_text(one.placement);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string subgroup_trees(const Cluster& cluster, const CycleRecord& record, Glyphs glyphs,
                           Colours colours) {
  std::string text;
  for (GangId id : cluster.gangs_by_name()) {
    const std::vector<Subgroup>& subgroups = cluster.gangs()[id].subgroups;
    if (subgroups.empty() || record.gangs[id].subgroups.size() != subgroups.size()) continue;
    text += "\n" + subgroup_tree(cluster, record, id, glyphs, colours);
  }
  return text;
}

std::string topology_tree(const std::vector<TopologyReport>& topologies, Glyphs glyphs,
                          Colours colours, const TopologyView& view) {
  std::string text;
  for (const TopologyReport& topology : topologies) {
    if (!text.empty()) text += "\n";
    text += TreeDrawing(topology, glyphs, colours, view).draw();
  }
  return text;
}

std::string cluster_line(const Cluster& cluster, const CycleRecord& record, Glyphs glyphs,
                         Colours colours) {
  CycleSummary summary = summarize(cluster, record);
  Share share{summary.gpus_used, summary.gpus - summary.gpus_closed};
  auto nodes = static_cast<int64_t>(cluster.nodes_by_name().size());
  return styled("no topology:", Style::Bold, colours) + " " + bar(share, kBarWidth, glyphs) + " " +
         std::to_string(share.used) + "/" + std::to_string(share.total) + " GPUs, " +
         grouped_text(nodes) + (nodes == 1 ? " node" : " nodes") + closed_text(summary) + "\n";
}

}  // namespace trellis
