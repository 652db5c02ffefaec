#include "server/view/queue_output.h"

#include "framework/queue.h"
#include "server/view/text_table.h"
#include "server/wording/queue_units.h"

namespace trellis {
namespace {

const QueueShare& share_of(const Queue& queue, QueueResource resource) {
  if (resource == QueueResource::Gpu) return queue.gpu;
  return resource == QueueResource::Cpu ? queue.cpu : queue.memory;
}

// For people: at most one digit after the point.
std::string percent_text(double share) {
  double percent = share * 100;
  if (percent >= 1e6) return "over 1000000%";
  return number_text(static_cast<double>(static_cast<int64_t>(percent * 10 + 0.5)) / 10) + "%";
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
                         Colours colours) {
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
  return table.render(colours);
}

}  // namespace trellis
