#include "server/kube/status/queue_status.h"

#include <utility>

#include "framework/queue.h"
#include "server/kube/status/object_patch.h"
#include "server/wording/quantity_text.h"
#include "session/explain/queue_report.h"

namespace trellis {
namespace {

// The amounts, with the keys and quantities of pods. Unlimited amounts are left out.
Json quantities(const QueueAmounts& amounts) {
  Json written = Json::object();
  auto set = [&](const char* key, QueueResource resource, Unit unit) {
    int64_t amount = amounts[resource];
    if (amount != QueueShare::kUnlimited) written[key] = quantity_text(amount, unit);
  };
  set("cpu", QueueResource::Cpu, Unit::MilliCpu);
  set("memory", QueueResource::Memory, Unit::Bytes);
  set("nvidia.com/gpu", QueueResource::Gpu, Unit::MilliGpu);
  return written;
}

}  // namespace

void QueueStatuses::look(const StatusView& view, std::vector<WriteKey>& due_writes) {
  next_look_ = kNoTime;
  const Cluster& cluster = view.cluster;
  if (cluster.queues().empty()) return;
  bool too_soon = looked_ != kNoTime && view.now < looked_ + kEveryUs && view.now >= looked_;
  if (too_soon) {
    next_look_ = looked_ + kEveryUs;
    return;
  }
  looked_ = view.now;
  written_.resize(cluster.queues().size());
  for (const QueueReport& line : report_queues(view.session)) {
    const std::string& name = cluster.queues()[line.queue].name;
    Written written{name, line.allocated, line.non_preemptible, line.requested, std::nullopt};
    if (line.has_figures) written.fair_share = line.figures.fair_share;
    if (std::exchange(written_[line.queue], written) == written) continue;
    due_writes.push_back({"scheduling.run.ai", "Queue", "", name, WritePart::Status});
  }
}

std::optional<ApiRequest> QueueStatuses::request(const StatusView& view,
                                                 const WriteKey& key) const {
  QueueId id = view.cluster.find_queue(key.name);
  std::optional<LiveObject> object = view.objects.find(key.group, key.kind, "", key.name);
  if (!id.valid() || !written_.contains(id) || !object) return std::nullopt;
  Json before = parse_object(object->text);
  if (!before.is_object()) return std::nullopt;
  Json after = before;
  Json& status = object_at(after, "status");
  const Written& written = written_[id];
  status["allocated"] = quantities(written.allocated);
  status["allocatedNonPreemptible"] = quantities(written.non_preemptible);
  status["requested"] = quantities(written.requested);
  if (written.fair_share) status["fairShare"] = quantities(*written.fair_share);
  return patch_request(*object, before, after, key.part, Guard::SameObject);
}

}  // namespace trellis
