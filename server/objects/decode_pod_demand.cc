#include "server/objects/decode_pod_demand.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "plugins/numa/numa_hint.h"
#include "server/document/quantity.h"
#include "server/objects/numa_notes.h"
#include "server/objects/pod_resize.h"

namespace trellis {
namespace {

using Amounts = std::vector<ResourceAmount>;

constexpr std::string_view kObservedZones = "kai.scheduler/numa-placement-observed";

int64_t amount_of(const Amounts& amounts, ResourceId resource) {
  for (const ResourceAmount& item : amounts) {
    if (item.resource == resource) return item.amount;
  }
  return 0;
}

// Keeps requests of 0.
Amounts read_amounts(Value map, FieldReader& fields) {
  Amounts amounts;
  for (Value::Member member : map.members()) {
    ResourceId resource = fields.resource(member.value, member.key);
    if (!resource.valid()) continue;
    Unit unit = fields.vocabulary().resources.unit(resource);
    bool milli = unit == Unit::MilliCpu || unit == Unit::MilliGpu;
    std::optional<Quantity> read = parse_quantity(member.value.text(), milli ? 3 : 0);
    if (read && !read->negative) amounts.push_back({resource, read->amount});
  }
  std::sort(amounts.begin(), amounts.end());
  return amounts;
}

struct Resources {
  Amounts requests;  // of a resource without a request: its limit
  Amounts limits;
};

Resources read_resources(Value parent, FieldReader& fields) {
  Value resources = parent["resources"];
  Resources read{read_amounts(resources["requests"], fields),
                 read_amounts(resources["limits"], fields)};
  size_t given = read.requests.size();
  for (const ResourceAmount& limit : read.limits) {
    auto end = read.requests.begin() + static_cast<std::ptrdiff_t>(given);
    bool named = std::any_of(read.requests.begin(), end, [&](const ResourceAmount& request) {
      return request.resource == limit.resource;
    });
    if (!named) read.requests.push_back(limit);
  }
  std::sort(read.requests.begin(), read.requests.end());
  return read;
}

// Kubernetes' rule for the QoS class, over containers or the pod as a whole.
class QosRule {
 public:
  void see(const Resources& resources) {
    for (ResourceId resource : {kCpu, kMemory}) {
      int64_t request = amount_of(resources.requests, resource);
      int64_t limit = amount_of(resources.limits, resource);
      any_ = any_ || request > 0 || limit > 0;
      guaranteed_ = guaranteed_ && limit > 0 && request == limit;
    }
  }
  Qos result() const {
    if (!any_) return Qos::BestEffort;
    return guaranteed_ ? Qos::Guaranteed : Qos::Burstable;
  }

 private:
  bool any_ = false;
  bool guaranteed_ = true;
};

void raise_to(Amounts& amounts, const Amounts& others) {
  for (const ResourceAmount& other : others) {
    auto known = std::find_if(amounts.begin(), amounts.end(), [&](const ResourceAmount& amount) {
      return amount.resource == other.resource;
    });
    if (known == amounts.end()) {
      amounts.push_back(other);
    } else {
      known->amount = std::max(known->amount, other.amount);
    }
  }
  std::sort(amounts.begin(), amounts.end());
}

// The held amounts of a container, or of a pod, that may have been resized. The amounts in the
// status include `beside`, which is subtracted.
Amounts most_of(Amounts wanted, const PodResize& resize, const PodResize::Amounts& said,
                const Amounts& beside, FieldReader& fields) {
  if (said.allocated.absent() && said.actual.absent()) return wanted;
  Amounts most = resize.infeasible() ? Amounts() : std::move(wanted);
  for (Value given : {said.allocated, said.actual}) {
    Amounts amounts = read_amounts(given, fields);
    for (ResourceAmount& amount : amounts) {
      amount.amount = std::max<int64_t>(0, amount.amount - amount_of(beside, amount.resource));
    }
    raise_to(most, amounts);
  }
  return most;
}

template <class Use>
void each_container(Value spec, Use use) {
  for (Value container : spec["initContainers"].items()) {
    bool stays = container["restartPolicy"].text() == "Always";
    use(container, stays ? ContainerKind::Sidecar : ContainerKind::Init);
  }
  for (Value container : spec["containers"].items()) use(container, ContainerKind::App);
}

std::optional<Qos> stated_qos(Value status) {
  std::string_view word = status["qosClass"].text();
  if (word == "Guaranteed") return Qos::Guaranteed;
  if (word == "Burstable") return Qos::Burstable;
  if (word == "BestEffort") return Qos::BestEffort;
  return std::nullopt;
}

PodDemand read_demand(Value spec, const PodResize& resize, FieldReader& fields) {
  PodDemand demand;
  QosRule of_containers;
  each_container(spec, [&](Value container, ContainerKind kind) {
    Resources resources = read_resources(container, fields);
    of_containers.see(resources);
    PodResize::Amounts said = resize.of_container(container["name"].text());
    demand.containers.push_back(
        {kind, most_of(std::move(resources.requests), resize, said, {}, fields)});
  });
  demand.overhead = read_amounts(spec["overhead"], fields);
  demand.qos = of_containers.result();
  if (spec["resources"].is(ValueKind::Object)) {
    Resources whole = read_resources(spec, fields);
    QosRule of_pod;
    of_pod.see(whole);
    if (!whole.requests.empty()) demand.qos = of_pod.result();
    demand.pod_level =
        most_of(std::move(whole.requests), resize, resize.of_pod(), demand.overhead, fields);
  }
  return demand;
}

}  // namespace

PodDemands decode_pod_demand(Value spec, Value status, FieldReader& fields) {
  PodResize resize(spec, status);
  PodDemands demands{read_demand(spec, resize, fields), std::nullopt};
  Qos by_spec = demands.held.qos;
  demands.held.qos = stated_qos(status).value_or(by_spec);
  if (!resize.counts() && demands.held.qos == by_spec) return demands;
  PodDemand wanted = read_demand(spec, {}, fields);
  if (wanted != demands.held) demands.wanted = std::move(wanted);
  return demands;
}

PodContainers decode_pod_containers(Value metadata, Value spec, FieldReader& fields) {
  PodContainers containers;
  each_container(spec, [&](Value container, ContainerKind /*kind*/) {
    containers.names.push_back(fields.intern(container["name"].text()));
  });
  Value annotations = metadata["annotations"];
  Value hint = annotations[kNumaHint];
  if (!read_numa_notes(hint.text(), annotations[kNumaReport].text(), fields.vocabulary().strings,
                       containers)) {
    fields.report().warning(hint,
                            {describe(hint), "zones by container, such as {\"main\":[0]}", ""});
  }
  Value observed = annotations[kObservedZones];
  if (hint.text().empty() && !observed.text().empty() &&
      !read_observed_zones(observed.text(), containers)) {
    fields.report().warning(observed, {describe(observed), "zones that the pod was seen in", ""});
  }
  return containers;
}

bool refused_by_zones(Value status) {
  std::string_view reason = status["reason"].text();
  return status["phase"].text() == "Failed" &&
         (reason == "TopologyAffinityError" || reason == "Topology Affinity Error");
}

}  // namespace trellis
