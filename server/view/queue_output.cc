#include "server/view/queue_output.h"

#include <algorithm>
#include <utility>

#include "framework/queue.h"
#include "server/view/text_table.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"
#include "session/placement/gang_needs.h"

namespace trellis {
namespace {

const QueueShare& share_of(const Queue& queue, QueueResource resource) {
  if (resource == QueueResource::Gpu) return queue.gpu;
  return resource == QueueResource::Cpu ? queue.cpu : queue.memory;
}

void write_resource(DocumentWriter& out, const Queue& queue, const QueueReport& line,
                    QueueResource resource) {
  auto amount = [&](int64_t value) { return in_queue_units(resource, value); };
  const QueueShare& share = share_of(queue, resource);
  out.begin_object(to_string(resource));
  out.field("quota", amount(share.quota));
  out.field("limit", amount(share.limit));
  if (line.has_figures) out.field("fairShare", amount(line.figures.fair_share[resource]));
  out.field("allocated", amount(line.allocated[resource]));
  out.field("requested", amount(line.requested[resource]));
  out.end_object();
}

std::vector<Cell> queue_cells(const Cluster& cluster, const QueueReport& line,
                              QueueResource resource) {
  const Queue& queue = cluster.queues()[line.queue];
  bool first = resource == kAllQueueResources.front();
  auto once = [&](std::string text) { return Cell{first ? std::move(text) : ""}; };
  auto amount = [&](int64_t value) { return Cell{queue_amount_text(resource, value)}; };
  int64_t held = line.allocated[resource];
  int64_t fair = line.figures.fair_share[resource];
  Style style = line.has_figures && held > fair ? Style::Waiting : Style::Plain;
  std::string indent(2 * static_cast<size_t>(line.depth), ' ');
  return {once(indent + queue.name),
          once(line.position > 0 ? std::to_string(line.position) : "-"),
          once(std::to_string(line.gangs)),
          once(std::to_string(line.waiting)),
          {std::string(to_string(resource))},
          amount(share_of(queue, resource).quota),
          amount(share_of(queue, resource).limit),
          line.has_figures ? amount(fair) : Cell{"-"},
          {queue_amount_text(resource, held), style},
          amount(line.requested[resource]),
          once(line.has_figures ? percent_text(line.figures.dominant_share) : "-")};
}

}  // namespace

void write_queue(DocumentWriter& out, const Cluster& cluster, const QueueReport& line,
                 QueueDetail detail) {
  const Queue& queue = cluster.queues()[line.queue];
  out.field("name", queue.name);
  if (queue.parent.valid()) out.field("parent", cluster.vocabulary().strings.view(*queue.parent));
  out.begin_object("resources");
  for (QueueResource resource : kAllQueueResources) write_resource(out, queue, line, resource);
  out.end_object();
  if (line.has_figures) out.field("dominantShare", line.figures.dominant_share);
  if (line.position > 0) out.field("position", line.position);
  if (detail == QueueDetail::Shares) return;
  out.field("gangs", line.gangs);
  out.field("waiting", line.waiting);
}

void write_queues(DocumentWriter& out, const Cluster& cluster, std::span<const QueueReport> lines,
                  QueueDetail detail) {
  out.begin_array("queues");
  for (const QueueReport& line : lines) {
    out.begin_object();
    write_queue(out, cluster, line, detail);
    out.end_object();
  }
  out.end_array();
}

std::string queues_table(const Cluster& cluster, std::span<const QueueReport> lines,
                         TableForm form) {
  TextTable table({{"QUEUE"},
                   {"POSITION", Align::Right},
                   {"GANGS", Align::Right},
                   {"WAITING", Align::Right},
                   {"RESOURCE"},
                   {"QUOTA", Align::Right},
                   {"LIMIT", Align::Right},
                   {"FAIR SHARE", Align::Right},
                   {"ALLOCATED", Align::Right},
                   {"REQUESTED", Align::Right},
                   {"DOMINANT SHARE", Align::Right}});
  for (const QueueReport& line : lines) {
    for (QueueResource resource : kAllQueueResources) {
      table.add_row(queue_cells(cluster, line, resource));
    }
  }
  return table.render(form);
}

namespace {

constexpr size_t kGangsShown = 20;

int64_t quota_of(const Queue& queue, QueueResource resource) {
  if (resource == QueueResource::Gpu) return queue.gpu.quota;
  return resource == QueueResource::Cpu ? queue.cpu.quota : queue.memory.quota;
}

int64_t limit_of(const Queue& queue, QueueResource resource) {
  if (resource == QueueResource::Gpu) return queue.gpu.limit;
  return resource == QueueResource::Cpu ? queue.cpu.limit : queue.memory.limit;
}

// What determines the fair share.
std::string origin_text(const Queue& queue, const QueueReport& line, QueueResource resource) {
  int64_t fair = line.figures.fair_share[resource];
  int64_t quota = quota_of(queue, resource);
  int64_t limit = limit_of(queue, resource);
  if (fair == line.requested[resource]) return "all that it asks for";
  if (limit != QueueShare::kUnlimited && fair == limit) return "its limit";
  if (quota == QueueShare::kUnlimited) return "all there is";
  if (fair == quota) return "its quota, and nothing of what others leave";
  return "its quota of " + queue_amount_text(resource, quota) +
         " and its part of what others leave";
}

std::string standing_text(const QueueReport& line, QueueResource resource) {
  int64_t held = line.allocated[resource];
  int64_t fair = line.figures.fair_share[resource];
  auto amount = [&](int64_t value) { return queue_amount_text(resource, value); };
  if (held == fair) return "holds its fair share of " + amount(fair);
  std::string text = "holds " + amount(held) + ", ";
  if (held > fair) {
    return text + amount(held - fair) + " more than its fair share of " + amount(fair);
  }
  return text + amount(fair - held) + " less than its fair share of " + amount(fair);
}

std::string why_text(const Queue& queue, const QueueReport& line, QueueResource resource) {
  int64_t held = line.allocated[resource];
  int64_t fair = line.figures.fair_share[resource];
  int64_t quota = quota_of(queue, resource);
  if (held > fair) {
    bool in_quota = quota == QueueShare::kUnlimited || held <= quota;
    return in_quota ? "it is within its quota"
                    : "other queues that are below theirs may take back what is above it";
  }
  if (held == fair) return "";
  return line.waiting > 0 || !line.by_turn.empty()
             ? "its gangs go before those of queues at their fair share"
             : "it has no gang that waits";
}

std::string needs_text(const QueueAmounts& need) {
  std::string text;
  for (QueueResource resource : kAllQueueResources) {
    if (need[resource] == 0) continue;
    if (!text.empty()) text += ", ";
    text += queue_amount_text(resource, need[resource]);
    if (resource == QueueResource::Gpu) text += need[resource] == kMilli ? " GPU" : " GPUs";
  }
  return text.empty() ? "-" : text;
}

std::string heading_text(const Session& session, const QueueReport& line) {
  const Cluster& cluster = session.cluster();
  const Queue& queue = cluster.queues()[line.queue];
  std::string text = "queue " + queue.name;
  if (queue.parent.valid()) {
    text.append(" below ").append(cluster.vocabulary().strings.view(*queue.parent));
  }
  if (line.position > 0) {
    text += line.is_leaf ? ": number " : ": among its siblings number ";
    text += std::to_string(line.position) + " in the order of queues";
  }
  return text;
}

std::string gangs_table(const Session& session, const CycleRecord& record, const QueueReport& line,
                        TableForm form) {
  TextTable table({{"#", Align::Right},
                   {"GANG"},
                   {"PRIORITY", Align::Right},
                   {"NEEDS NEXT"},
                   {"WAITS BECAUSE"}});
  const Cluster& cluster = session.cluster();
  for (size_t i = 0; i < std::min(kGangsShown, line.by_turn.size()); ++i) {
    GangId gang = line.by_turn[i];
    std::string why = reasons_text(cluster, record.gangs[gang].reasons);
    table.add_row({{std::to_string(i + 1)},
                   {full_name(cluster, gang)},
                   {std::to_string(cluster.gangs()[gang].priority)},
                   {needs_text(next_amounts(session, gang))},
                   {why.empty() ? "-" : std::move(why)}});
  }
  std::string text = table.render(form);
  if (line.by_turn.size() <= kGangsShown) return text;
  return text + std::to_string(line.by_turn.size() - kGangsShown) +
         " more gangs; -o json lists them all\n";
}

void write_need(DocumentWriter& out, const QueueAmounts& need) {
  out.begin_object("needs");
  for (QueueResource resource : kAllQueueResources) {
    out.field(to_string(resource), in_queue_units(resource, need[resource]));
  }
  out.end_object();
}

}  // namespace

std::vector<std::string> queue_reasons(const Cluster& cluster, const QueueReport& line) {
  std::vector<std::string> reasons;
  if (!line.has_figures) return reasons;
  const Queue& queue = cluster.queues()[line.queue];
  std::vector<std::pair<std::string, std::string>> consequences;  // each with its resources
  for (QueueResource resource : kAllQueueResources) {
    if (line.requested[resource] == 0 && line.allocated[resource] == 0) continue;
    std::string name(to_string(resource));
    reasons.push_back(name + ": " + standing_text(line, resource) + " (" +
                      origin_text(queue, line, resource) + ")");
    std::string why = why_text(queue, line, resource);
    if (why.empty()) continue;
    auto known = std::find_if(consequences.begin(), consequences.end(),
                              [&](const auto& one) { return one.first == why; });
    if (known == consequences.end()) {
      consequences.emplace_back(std::move(why), std::move(name));
    } else {
      known->second += ", " + name;
    }
  }
  for (const auto& [why, resources] : consequences) reasons.push_back(resources + ": " + why);
  return reasons;
}

void write_queue_explanation(DocumentWriter& out, const Session& session, const CycleRecord& record,
                             const QueueReport& line) {
  const Cluster& cluster = session.cluster();
  out.begin_object();
  write_queue(out, cluster, line, QueueDetail::WithGangs);
  out.begin_array("reasons");
  for (const std::string& reason : queue_reasons(cluster, line)) out.text(reason);
  out.end_array();
  if (line.figures.past_usage > 0) out.field("pastUsage", line.figures.past_usage);
  out.begin_array("line");
  for (GangId gang : line.by_turn) {
    const Gang& one = cluster.gangs()[gang];
    out.begin_object();
    out.field("namespace", cluster.vocabulary().strings.view(one.name_space));
    out.field("name", one.name);
    out.field("priority", one.priority);
    write_need(out, next_amounts(session, gang));
    write_reasons(out, cluster, record.gangs[gang].reasons);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.finish();
}

std::string queue_explanation_text(const Session& session, const CycleRecord& record,
                                   const QueueReport& line, TableForm form) {
  const Cluster& cluster = session.cluster();
  QueueReport flat = line;
  flat.depth = 0;
  std::string text = styled(heading_text(session, line), Style::Bold, form.colours) + "\n\n";
  text += queues_table(cluster, {&flat, 1}, form);
  std::vector<std::string> reasons = queue_reasons(cluster, line);
  if (!reasons.empty()) text += "\n";
  for (const std::string& reason : reasons) text += reason + "\n";
  if (line.figures.past_usage > 0) {
    text += "past usage: " + number_text(line.figures.past_usage) + " GPU-hours\n";
  }
  if (!line.is_leaf) return text + "\nIts gangs are in the queues below it.\n";
  if (line.by_turn.empty()) return text + "\nNo gang of it waits.\n";
  text +=
      "\n" +
      styled("Gangs that wait, in the order in which they are tried", Style::Bold, form.colours) +
      "\n";
  return text + gangs_table(session, record, line, form);
}

}  // namespace trellis
