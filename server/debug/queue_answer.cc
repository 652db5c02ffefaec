#include "server/debug/queue_answer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "server/debug/parameters.h"
#include "server/output/gang_summary.h"
#include "server/output/json_writer.h"
#include "server/output/text_table.h"
#include "session/explain/room.h"

namespace trellis {
namespace {

constexpr size_t kExpandedDepth = 2;
constexpr double kMegabyte = 1e6;

struct QueueAmounts {
  int64_t gpu = 0;     // thousandths
  int64_t cpu = 0;     // thousandths
  int64_t memory = 0;  // bytes

  void add(const ResourceList& list) {
    gpu += list.get(kGpu) + list.get(kAmdGpu);
    cpu += list.get(kCpu);
    memory += list.get(kMemory);
  }
  void add(const QueueAmounts& more) {
    gpu += more.gpu;
    cpu += more.cpu;
    memory += more.memory;
  }
};

struct QueueUse {
  QueueAmounts allocated;
  QueueAmounts requested;
  int64_t gangs = 0;
  int64_t waiting = 0;

  void add(const QueueUse& more) {
    allocated.add(more.allocated);
    requested.add(more.requested);
    gangs += more.gangs;
    waiting += more.waiting;
  }
};

using QueueUses = IndexedVector<QueueId, QueueUse>;

// A queue and those above it.
std::vector<QueueId> with_ancestors(const Cluster& cluster, QueueId queue) {
  std::vector<QueueId> line;
  while (queue.valid()) {
    line.push_back(queue);
    StrId parent = cluster.queues()[queue].parent;
    queue =
        parent.valid() ? cluster.find_queue(cluster.vocabulary().strings.view(parent)) : QueueId();
  }
  return line;
}

QueueUse measure_gang(const CycleView& view, const GangSummary& summary) {
  const Cluster& cluster = view.cluster();
  QueueUse use;
  if (is_finished(summary)) return use;
  use.gangs = 1;
  use.waiting = is_placed(view.record().gangs[summary.gang].status) ? 0 : 1;
  for (PodId pod : cluster.pods_of(summary.gang)) {
    PodStatus status = view.record().pods[pod].status;
    if (status == PodStatus::Succeeded || status == PodStatus::Failed) continue;
    const PodSlot& slot = cluster.pods()[pod];
    use.requested.add(asked_by(cluster.pod_classes()[slot.pod_class]));
    if (is_placed(status)) use.allocated.add(held_by(view.session(), pod));
  }
  return use;
}

QueueUses measure(const CycleView& view) {
  const Cluster& cluster = view.cluster();
  QueueUses uses(cluster.queues().size());
  for (const GangSummary& summary : summarize_gangs(cluster, view.record())) {
    StrId name = cluster.gangs()[summary.gang].queue;
    if (!name.valid()) continue;
    QueueUse use = measure_gang(view, summary);
    for (QueueId queue :
         with_ancestors(cluster, cluster.find_queue(cluster.vocabulary().strings.view(name)))) {
      uses[queue].add(use);
    }
  }
  return uses;
}

std::string path_of(const Cluster& cluster, QueueId queue) {
  std::string path;
  for (QueueId above : with_ancestors(cluster, queue)) {
    path.insert(0, "/" + cluster.queues()[above].name);
  }
  return path;
}

// Parents before their children, siblings by name.
std::vector<QueueId> queues_in_order(const Cluster& cluster) {
  std::vector<std::pair<std::string, QueueId>> named;
  for (uint32_t i = 0; i < cluster.queues().size(); ++i) {
    if (cluster.alive(QueueId(i))) named.emplace_back(path_of(cluster, QueueId(i)), QueueId(i));
  }
  std::sort(named.begin(), named.end());
  std::vector<QueueId> queues;
  for (const auto& [path, queue] : named) queues.push_back(queue);
  return queues;
}

// What users write, in the units that they write it in.
struct ResourceUse {
  std::string_view name;
  QueueShare share;
  int64_t allocated = 0;
  int64_t requested = 0;
  double unit = 1;
};

std::array<ResourceUse, 3> resource_uses(const Queue& queue, const QueueUse& use) {
  return {{{"gpu", queue.gpu, use.allocated.gpu, use.requested.gpu, kMilli},
           {"cpu", queue.cpu, use.allocated.cpu, use.requested.cpu, 1},
           {"memory", queue.memory, use.allocated.memory, use.requested.memory, kMegabyte}}};
}

double in_unit(const ResourceUse& use, int64_t amount) {
  return amount == QueueShare::kUnlimited ? -1 : static_cast<double>(amount) / use.unit;
}

void write_queue(DocumentWriter& out, const Cluster& cluster, QueueId id, const QueueUse& use) {
  const Queue& queue = cluster.queues()[id];
  out.begin_object();
  out.field("name", queue.name);
  if (queue.parent.valid()) out.field("parent", cluster.vocabulary().strings.view(queue.parent));
  out.begin_object("resources");
  for (const ResourceUse& resource : resource_uses(queue, use)) {
    out.begin_object(resource.name);
    out.field("quota", in_unit(resource, resource.share.quota));
    out.field("limit", in_unit(resource, resource.share.limit));
    out.field("allocated", in_unit(resource, resource.allocated));
    out.field("requested", in_unit(resource, resource.requested));
    out.end_object();
  }
  out.end_object();
  out.field("gangs", use.gangs);
  out.field("waiting", use.waiting);
  out.end_object();
}

std::string queues_table(const Cluster& cluster, const QueueUses& uses) {
  TextTable table({{"QUEUE"},
                   {"GANGS", Align::Right},
                   {"WAITING", Align::Right},
                   {"RESOURCE"},
                   {"QUOTA", Align::Right},
                   {"LIMIT", Align::Right},
                   {"ALLOCATED", Align::Right},
                   {"REQUESTED", Align::Right}});
  for (QueueId id : queues_in_order(cluster)) {
    bool first = true;
    for (const ResourceUse& resource : resource_uses(cluster.queues()[id], uses[id])) {
      auto text = [&](int64_t amount) {
        double number = in_unit(resource, amount);
        return Cell{number < 0 ? "-" : number_text(number)};
      };
      table.add_row({{first ? path_of(cluster, id).substr(1) : ""},
                     {first ? std::to_string(uses[id].gangs) : ""},
                     {first ? std::to_string(uses[id].waiting) : ""},
                     {std::string(resource.name)},
                     text(resource.share.quota),
                     text(resource.share.limit),
                     text(resource.allocated),
                     text(resource.requested)});
      first = false;
    }
  }
  return table.render(Colours::Off);
}

}  // namespace

HttpResponse answer_queues(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Cluster& cluster = view.cluster();
  QueueUses uses = measure(view);
  if (form == AnswerForm::Text) return text_response(queues_table(cluster, uses));
  StringSink sink;
  JsonWriter out(sink, kExpandedDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  out.begin_array("queues");
  for (QueueId id : queues_in_order(cluster)) write_queue(out, cluster, id, uses[id]);
  out.end_array();
  out.end_object();
  out.finish();
  return {.body = sink.text()};
}

}  // namespace trellis
