#include "server/simulate/timed_gangs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "framework/moved_gpus.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

StrId gang_key(const Gang& gang, const StringTable& strings) {
  return strings.find(full_key(strings, gang.name_space, gang.name));
}

}  // namespace

TimedGangs::TimedGangs(Objects& objects, std::span<const RunTimes> times, TimeUs start,
                       const StringTable& strings) {
  ByKey by_key = find_gangs(objects, times, strings);
  auto find = [&](StrId key) -> Taken* {
    auto found = by_key.find(key.value);
    return found == by_key.end() ? nullptr : &gangs_[found->second];
  };
  std::erase_if(objects.gangs, [&](Gang& gang) {
    Taken* taken = find(gang_key(gang, strings));
    if (taken == nullptr) return false;
    taken->gang = std::move(gang);
    return true;
  });
  std::erase_if(objects.pods, [&](PodObject& pod) {
    Taken* taken = find(pod.pod.gang);
    if (taken == nullptr) return false;
    taken->pods.push_back(std::move(pod));
    return true;
  });
  for (Taken& taken : gangs_) settle(taken, start, strings);
  std::ranges::sort(gangs_, {}, [](const Taken& taken) {
    return std::tuple(taken.plan.arrival, std::string_view(taken.plan.shown));
  });
}

TimedGangs::ByKey TimedGangs::find_gangs(const Objects& objects, std::span<const RunTimes> times,
                                         const StringTable& strings) {
  absl::flat_hash_map<std::string, StrId> of_pods;
  for (const PodObject& pod : objects.pods) {
    of_pods.emplace(full_key(strings, pod.pod.name_space, pod.pod.name), pod.pod.gang);
  }
  absl::flat_hash_map<std::string, StrId> gangs;
  for (const Gang& gang : objects.gangs) {
    gangs.emplace(full_key(strings, gang.name_space, gang.name), gang_key(gang, strings));
  }
  ByKey by_key;
  for (const RunTimes& time : times) {
    const auto& names = time.kind == "Pod" ? of_pods : gangs;
    auto named = names.find(full_key(time.name_space, time.name));
    if (named == names.end()) {
      errors_.push_back(time.place + ": no gang is of " + time.kind + " " + time.name_space + "/" +
                        time.name + ", or named after it, so that its times say nothing");
      continue;
    }
    auto [found, fresh] = by_key.try_emplace(named->second.value, gangs_.size());
    if (fresh) gangs_.emplace_back();
    Taken& taken = gangs_[found->second];
    if (!taken.arrival) taken.arrival = time.arrival;
    if (!taken.duration) taken.duration = time.duration;
  }
  return by_key;
}

void TimedGangs::settle(Taken& taken, TimeUs start, const StringTable& strings) {
  Gang& gang = taken.gang;
  GangPlan& plan = taken.plan;
  plan.name_space = strings.view(gang.name_space);
  plan.name = gang.name;
  plan.shown = plan.name_space + "/" + plan.name;
  if (gang.queue.valid()) plan.queue = strings.view(*gang.queue);
  plan.arrival = taken.arrival ? std::max(taken.arrival->from(start), start) : start;
  plan.duration = taken.duration.value_or(-1);
  for (const PodObject& pod : taken.pods) plan.gpu_milli += held_gpu_milli(*pod.spec);
  if (taken.arrival) gang.created = plan.arrival;
}

Objects TimedGangs::objects(size_t gang, Vocabulary& /*vocabulary*/) const {
  Objects objects;
  objects.gangs.push_back(gangs_[gang].gang);
  objects.pods = gangs_[gang].pods;
  return objects;
}

}  // namespace trellis
