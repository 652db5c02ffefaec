#include "server/kube/bind/claim_book.h"

#include <algorithm>
#include <climits>

#include "server/document/json_objects.h"
#include "server/writeback/claim_saver.h"

namespace trellis {
namespace {

constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";

std::string claim_path(const ClaimWrite& write) {
  return "/api/v1/namespaces/" + write.name_space + "/persistentvolumeclaims/" + write.name;
}

std::string volume_path(const ClaimWrite& write) {
  return "/api/v1/persistentvolumes/" + write.volume;
}

// A part of an object; an empty object where there is none.
Json part(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : Json::object();
}

ApiRequest patch(std::string path, const Json& body) {
  return {.method = "PATCH",
          .target = std::move(path),
          .body = one_line(body),
          .content_type = kMergePatch};
}

// The version makes the server refuse the patch when the object has changed since it was read.
ApiRequest choose_node(const ClaimWrite& write, const std::string& version) {
  Json metadata = {{"resourceVersion", version}, {"annotations", {{kSelectedNode, write.node}}}};
  return patch(claim_path(write), {{"metadata", std::move(metadata)}});
}

ApiRequest give_volume(const ClaimWrite& write, const std::string& uid,
                       const std::string& version) {
  Json metadata = {{"resourceVersion", version}, {"annotations", {{kBoundByController, "yes"}}}};
  Json claim = {{"kind", "PersistentVolumeClaim"},
                {"apiVersion", "v1"},
                {"namespace", write.name_space},
                {"name", write.name},
                {"uid", uid}};
  return patch(volume_path(write),
               {{"metadata", std::move(metadata)}, {"spec", {{"claimRef", std::move(claim)}}}});
}

}  // namespace

void ClaimBook::order(int64_t now_ms, std::vector<GangPod> pods) {
  int64_t number = ++last_number_;
  Group& group = groups_[number];
  group.deadline_ms = now_ms + kTimeoutMs;
  bool chosen = true;
  for (GangPod& pod : pods) {
    chosen = chosen && (!pod.waits || !pod.claims.empty());
    State state = pod.waits ? State::Waits : State::Bound;
    group.pods.push_back({std::move(pod.bind), state});
    for (ClaimWrite& write : pod.claims) {
      bool known = std::ranges::any_of(group.claims, [&](const Claim& claim) {
        return claim.write.name == write.name && claim.write.name_space == write.name_space;
      });
      if (!known) group.claims.push_back({.write = std::move(write)});
    }
  }
  if (!chosen) return fail(number, "no volumes were chosen for its claims");
  for (size_t i = 0; i < group.claims.size(); ++i) due(now_ms, {number, i});
}

std::optional<ClaimBook::Send> ClaimBook::next(int64_t now_ms) {
  std::vector<int64_t> late;
  for (const auto& [number, group] : groups_) {
    if (group.deadline_ms <= now_ms) late.push_back(number);
  }
  for (int64_t number : late) fail(number, "its claims were not bound in time");
  while (in_flight_.size() < kMostInFlight && !due_.empty() && due_.begin()->first <= now_ms) {
    Place place = due_.begin()->second;
    due_.erase(due_.begin());
    if (!groups_.contains(place.group)) continue;
    Claim& claim = this->claim(place);
    Send send{.ticket = ++last_number_, .request = {}};
    if (claim.step == Step::AskClaim) {
      send.request.target = claim_path(claim.write);
    } else if (claim.step == Step::AskVolume) {
      send.request.target = volume_path(claim.write);
    } else if (claim.write.volume.empty()) {
      send.request = choose_node(claim.write, claim.version);
    } else {
      send.request = give_volume(claim.write, claim.uid, claim.version);
    }
    in_flight_.emplace(send.ticket, place);
    return send;
  }
  return std::nullopt;
}

int64_t ClaimBook::next_ms() const {
  int64_t next =
      due_.empty() || in_flight_.size() >= kMostInFlight ? INT64_MAX : due_.begin()->first;
  for (const auto& [number, group] : groups_) next = std::min(next, group.deadline_ms);
  return next;
}

void ClaimBook::answered(int64_t now_ms, int64_t ticket, bool sent, const ApiAnswer& answer) {
  auto found = in_flight_.find(ticket);
  if (found == in_flight_.end()) return;
  Place place = found->second;
  in_flight_.erase(found);
  if (!groups_.contains(place.group)) return;
  if (!sent) return fail(place.group, "this service does not lead any more");
  switch (claim(place).step) {
    case Step::AskClaim:
      return take_claim(now_ms, place, answer);
    case Step::AskVolume:
      return take_volume(now_ms, place, answer);
    default:
      return take_write(now_ms, place, answer);
  }
}

void ClaimBook::take_claim(int64_t now_ms, Place place, const ApiAnswer& answer) {
  Claim& claim = this->claim(place);
  std::string name = "claim " + claim.write.name;
  if (answer.status == kNotFound) return fail(place.group, name + " is gone");
  const Json object = parse_object(answer.body);
  if (!answer.ok() || !object.is_object()) return ask_again(now_ms, place, describe(answer));
  const Json metadata = part(object, "metadata");
  const Json annotations = part(metadata, "annotations");
  if (metadata.contains("deletionTimestamp")) return fail(place.group, name + " is leaving");
  if (annotations.contains(kBindCompleted)) {
    claim.step = Step::Written;
    return;
  }
  claim.uid = text_at(metadata, "uid");
  claim.version = text_at(metadata, "resourceVersion");
  std::string node = text_at(annotations, kSelectedNode);
  if (!claim.write.volume.empty()) {
    claim.step = Step::AskVolume;
  } else if (node.empty()) {
    claim.step = Step::Write;
  } else if (node == claim.write.node) {
    claim.step = Step::Written;
  } else {
    return fail(place.group, name + " waits for its volume on node " + node);
  }
  if (claim.step != Step::Written) due(now_ms, place);
}

void ClaimBook::take_volume(int64_t now_ms, Place place, const ApiAnswer& answer) {
  Claim& claim = this->claim(place);
  std::string name = "volume " + claim.write.volume;
  if (answer.status == kNotFound) return fail(place.group, name + " is gone");
  const Json object = parse_object(answer.body);
  if (!answer.ok() || !object.is_object()) return ask_again(now_ms, place, describe(answer));
  const Json owner = part(part(object, "spec"), "claimRef");
  claim.version = text_at(part(object, "metadata"), "resourceVersion");
  claim.step = Step::Write;
  if (!owner.empty()) {
    std::string uid = text_at(owner, "uid");
    bool ours = text_at(owner, "namespace") == claim.write.name_space &&
                text_at(owner, "name") == claim.write.name && (uid.empty() || uid == claim.uid);
    if (!ours) return fail(place.group, name + " belongs to another claim");
    if (uid == claim.uid) claim.step = Step::Written;
  }
  if (claim.step != Step::Written) due(now_ms, place);
}

void ClaimBook::take_write(int64_t now_ms, Place place, const ApiAnswer& answer) {
  if (answer.accepted()) {
    claim(place).step = Step::Written;
  } else if (answer.status == kForbidden || answer.status == kUnprocessable) {
    fail(place.group, describe(answer));
  } else {
    // The object shows whether it was written.
    ask_again(now_ms, place, describe(answer));
  }
}

void ClaimBook::ask_again(int64_t now_ms, Place place, const std::string& why) {
  Claim& claim = this->claim(place);
  if (++claim.tries >= kMostTries) return fail(place.group, why);
  claim.step = Step::AskClaim;
  due(now_ms + kAgainMs * claim.tries, place);
}

void ClaimBook::look(const std::function<Sight(const PodWrite& bind)>& sight) {
  std::vector<std::pair<int64_t, std::string>> failed;
  std::vector<int64_t> done;
  for (auto& [number, group] : groups_) {
    std::string why;
    for (Pod& pod : group.pods) {
      Sight seen = sight(pod.bind);
      bool refused = pod.state == State::Chosen && seen.state == State::Waits;
      if (seen.state == State::Failed) why = seen.why;
      if (refused) why = "no volume could be made for its claims on node " + pod.bind.node;
      pod.state = seen.state;
    }
    bool bound =
        std::ranges::all_of(group.pods, [](const Pod& pod) { return pod.state == State::Bound; });
    if (!why.empty()) {
      failed.emplace_back(number, why);
    } else if (bound) {
      done.push_back(number);
    }
  }
  for (const auto& [number, why] : failed) fail(number, why);
  for (int64_t number : done) {
    for (Pod& pod : groups_.at(number).pods) ready_.push_back(std::move(pod.bind));
    groups_.erase(number);
  }
}

void ClaimBook::fail(int64_t number, const std::string& why) {
  for (const Pod& pod : groups_.at(number).pods) {
    forgotten_.pods.push_back({pod.bind.name_space, pod.bind.name});
    if (on_event_) on_event_({PodEvent::What::BindFailed, pod.bind, why});
  }
  groups_.erase(number);
}

void ClaimBook::withdraw(const std::string& gang) {
  std::vector<int64_t> of_gang;
  for (const auto& [number, group] : groups_) {
    if (group.pods.front().bind.gang == gang) of_gang.push_back(number);
  }
  for (int64_t number : of_gang) fail(number, "it is not wanted any more");
}

void ClaimBook::disown() {
  groups_.clear();
  due_.clear();
  in_flight_.clear();
  ready_.clear();
}

bool ClaimBook::holds(const std::string& name_space, const std::string& name) const {
  return std::ranges::any_of(groups_, [&](const auto& entry) {
    return std::ranges::any_of(entry.second.pods, [&](const Pod& pod) {
      return pod.bind.name == name && pod.bind.name_space == name_space;
    });
  });
}

}  // namespace trellis
