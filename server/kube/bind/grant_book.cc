#include "server/kube/bind/grant_book.h"

#include <algorithm>
#include <climits>

namespace trellis {
namespace {

constexpr int64_t kMostAgainMs = 15'000;
// How often a claim is looked at again while a write of another order may still be carried out.
constexpr int64_t kUnsureMs = 200;

bool same_place(const ClaimPlace& a, const ClaimPlace& b) {
  return a.name == b.name && a.name_space == b.name_space;
}

std::string key_of(const ClaimPlace& place) { return place.name_space + "/" + place.name; }

bool contains(const std::vector<ClaimUser>& users, const Json& entry) {
  std::string uid = text_at(entry, "uid");
  return std::ranges::any_of(users, [&](const ClaimUser& user) { return user.uid == uid; });
}

}  // namespace

void GrantBook::add_claim(Group& group, const PodWrite& pod, const ClaimGrant& grant) {
  ClaimPlace place{pod.name_space, grant.name};
  auto known = std::ranges::find_if(
      group.claims, [&](const Claim& claim) { return same_place(claim.place, place); });
  if (known == group.claims.end()) {
    Claim claim{
        .place = std::move(place), .grant = grant, .allocation = {}, .users = {}, .read = {}};
    if (!grant.allocation.empty()) claim.allocation = parse_object(grant.allocation);
    group.claims.push_back(std::move(claim));
    known = group.claims.end() - 1;
  }
  ClaimUser user{.name = pod.name, .uid = pod.uid};
  if (!grant.group.empty()) user = {grant.group, grant.group_uid, ClaimUser::Kind::Group};
  if (std::ranges::find(known->users, user) == known->users.end()) {
    known->users.push_back(std::move(user));
  }
}

void GrantBook::order(int64_t now_ms, std::vector<PodWrite> pods) {
  if (since_ms_ < 0) since_ms_ = now_ms;
  int64_t number = ++last_number_;
  Group& group = groups_[number];
  group.deadline_ms = now_ms + kAwaitMs;
  for (const PodWrite& pod : pods) {
    for (const ClaimGrant& grant : pod.grants) add_claim(group, pod, grant);
  }
  group.pods = std::move(pods);
  for (const Claim& claim : group.claims) stop_releasing(claim);
  for (size_t i = 0; i < group.claims.size(); ++i) due(now_ms, {number, i});
}

// A claim of a PodGroup stays: other pods of the group may be bound.
void GrantBook::release(int64_t now_ms, const PodWrite& bind) {
  Group group;
  for (const ClaimGrant& grant : bind.grants) {
    if (grant.group.empty()) add_claim(group, bind, grant);
  }
  if (group.claims.empty()) return;
  int64_t number = ++last_number_;
  size_t claims = group.claims.size();
  groups_.emplace(number, std::move(group));
  for (size_t i = 0; i < claims; ++i) due(now_ms, {number, i});
}

// The users have the claim again.
void GrantBook::stop_releasing(const Claim& claim) {
  for (auto& [number, group] : groups_) {
    if (!group.pods.empty()) continue;
    for (Claim& released : group.claims) {
      if (!same_place(released.place, claim.place)) continue;
      std::erase_if(released.users, [&](const ClaimUser& user) {
        return std::ranges::find(claim.users, user) != claim.users.end();
      });
    }
  }
}

// Of a claim that another order may still change: later.
bool GrantBook::must_wait(int64_t now_ms, Place place) {
  const Claim& claim = this->claim(place);
  auto unsure = unsure_.find(key_of(claim.place));
  if (unsure == unsure_.end()) return false;
  if (unsure->second.until_ms <= now_ms) {
    unsure_.erase(unsure);
    return false;
  }
  if (claim.step != Step::Ask || unsure->second.releases == releases(place)) return false;
  due(std::min(unsure->second.until_ms, now_ms + kUnsureMs), place);
  return true;
}

std::optional<GrantBook::Send> GrantBook::next(int64_t now_ms) {
  while (in_flight_.size() < kMostInFlight && !due_.empty() && due_.begin()->first <= now_ms) {
    Place place = due_.begin()->second;
    due_.erase(due_.begin());
    if (!groups_.contains(place.group)) continue;
    Claim& claim = this->claim(place);
    if (claim.users.empty()) {
      done(place);
      continue;
    }
    if (must_wait(now_ms, place)) continue;
    Send send{.ticket = ++last_number_, .request = request_of(claim)};
    bool writes = send.request.method != "GET";
    claim.wrote = claim.wrote || claim.step == Step::Write;
    std::string key = key_of(claim.place);
    if (writes) unsure_[key] = {now_ms + kSettleMs, releases(place)};
    in_flight_.emplace(send.ticket, Flight{place, std::move(key), writes});
    return send;
  }
  return std::nullopt;
}

int64_t GrantBook::next_ms() const {
  bool full = in_flight_.size() >= kMostInFlight;
  return full || due_.empty() ? INT64_MAX : due_.begin()->first;
}

ApiRequest GrantBook::request_of(const Claim& claim) const {
  switch (claim.step) {
    case Step::Make:
      return make_claim(claim.place, claim.users.front(), claim.grant.spec);
    case Step::Keep:
      return keep_claim(claim.place, claim.read);
    case Step::Write:
      return reserve_claim(claim.place, claim.read,
                           claim.read.allocation.is_null() ? claim.allocation : Json(), claim.users,
                           options_.now_text());
    case Step::WritePodStatus:
      return name_claim_in_pod(claim.place, claim.users.front(), claim.grant.mappings);
    case Step::Release:
      return release_claim(claim.place, claim.read, claim.users);
    default:
      return read_claim(claim.place);
  }
}

void GrantBook::answered(int64_t now_ms, int64_t ticket, bool sent, const ApiAnswer& answer) {
  auto found = in_flight_.find(ticket);
  if (found == in_flight_.end()) return;
  Flight flight = std::move(found->second);
  in_flight_.erase(found);
  if (flight.writes && (!sent || !answer.says_nothing())) unsure_.erase(flight.key);
  Place place = flight.place;
  if (!groups_.contains(place.group)) return;
  if (!sent) return drop(place.group, "this service does not lead any more");
  if (!answer.accepted() || !answer.whole()) return take_refusal(now_ms, place, answer);
  if (claim(place).step == Step::WritePodStatus) return done(place);
  const Json object = parse_object(answer.body);
  if (!object.is_object()) return ask_again(now_ms, place, "the answer is no object");
  claim(place).read = read_claim_reply(object);
  if (releases(place)) return plan_release(now_ms, place);
  std::string why = plan_grant(now_ms, place);
  if (!why.empty()) fail(now_ms, place.group, "claim " + claim(place).place.name + " " + why);
}

void GrantBook::take_refusal(int64_t now_ms, Place place, const ApiAnswer& answer) {
  Claim& claim = this->claim(place);
  bool refused = answer.status == kForbidden || answer.status == kUnprocessable;
  if (answer.status == kNotFound && claim.step != Step::Make) {
    bool asked = claim.step == Step::Ask || claim.step == Step::Await;
    if (releases(place)) return done(place);
    if (asked && !claim.grant.spec.empty()) return go(now_ms, place, Step::Make);
    if (asked || claim.step == Step::WritePodStatus) {
      return fail(now_ms, place.group, "claim " + claim.place.name + " or its pod is gone");
    }
  }
  if (refused && releases(place)) return done(place);
  if (refused) return fail(now_ms, place.group, describe(answer));
  if (answer.status == kConflict && ++claim.tries < kMostTries) {
    return go(now_ms + kConflictMs, place, Step::Ask);
  }
  ask_again(now_ms + answer.retry_after_ms, place, describe(answer));
}

// The object shows whether a write was carried out.
void GrantBook::ask_again(int64_t now_ms, Place place, const std::string& why) {
  Claim& claim = this->claim(place);
  if (++claim.tries >= kMostTries && !releases(place)) return fail(now_ms, place.group, why);
  go(now_ms + std::min(kAgainMs * claim.tries, kMostAgainMs), place, Step::Ask);
}

// What to do for a claim as it was just read. Returns why the pods cannot have it; "": they can.
std::string GrantBook::plan_grant(int64_t now_ms, Place place) {
  Claim& claim = this->claim(place);
  const ClaimReply& read = claim.read;
  if (read.leaving) return "is leaving";
  bool made = !claim.grant.spec.empty();
  if (made && read.owner != claim.users.front().uid) return "belongs to another pod";
  bool allocated = !read.allocation.is_null();
  if (!allocated && claim.allocation.is_null()) return "has lost its devices";
  if (allocated && !claim.allocation.is_null() &&
      !same_devices(read.allocation, claim.allocation)) {
    // Pods of the group that are bound may have them.
    bool ours = !read.reserved.empty() && !is_of_group(claim) &&
                std::ranges::all_of(
                    read.reserved, [&](const Json& entry) { return contains(claim.users, entry); });
    if (!ours) return "has got other devices";
    // Of an earlier decision about the same pods, which this service or another one did not end.
    go(now_ms, place, Step::Release);
    return "";
  }
  auto missing = static_cast<size_t>(std::ranges::count_if(
      claim.users, [&](const ClaimUser& user) { return !read.is_for(user); }));
  if (read.reserved.size() + missing > kMostUsers) return "is used by as many pods as it can be";
  if (!allocated || missing > 0) {
    go(now_ms, place, allocated || read.is_kept() ? Step::Write : Step::Keep);
    return "";
  }
  // The service before this one may have been about to release it.
  if (!claim.wrote && now_ms < since_ms_ + kSettleMs) {
    go(since_ms_ + kSettleMs, place, Step::Ask);
    return "";
  }
  return await_devices(now_ms, place);
}

std::string GrantBook::await_devices(int64_t now_ms, Place place) {
  Claim& claim = this->claim(place);
  DevicesReady ready = devices_ready(claim.read);
  if (ready == DevicesReady::Failed) return "has devices that cannot be used";
  if (ready == DevicesReady::NotYet) {
    if (now_ms >= groups_.at(place.group).deadline_ms) return "has devices that are not ready";
    go(now_ms + kLookMs, place, Step::Await);
  } else if (!claim.grant.spec.empty()) {
    go(now_ms, place, Step::WritePodStatus);
  } else {
    done(place);
  }
  return "";
}

void GrantBook::plan_release(int64_t now_ms, Place place) {
  Claim& claim = this->claim(place);
  if (claim.users.empty()) return done(place);
  bool has = std::ranges::any_of(claim.read.reserved,
                                 [&](const Json& entry) { return contains(claim.users, entry); });
  // A claim that was made for extended resources serves the pod's next decision.
  if (!has) return done(place);
  go(now_ms, place, Step::Release);
}

void GrantBook::go(int64_t at_ms, Place place, Step step) {
  claim(place).step = step;
  due(at_ms, place);
}

void GrantBook::done(Place place) {
  claim(place).step = Step::Done;
  auto group = groups_.find(place.group);
  bool all = std::ranges::all_of(group->second.claims,
                                 [](const Claim& claim) { return claim.step == Step::Done; });
  if (!all) return;
  for (PodWrite& pod : group->second.pods) ready_.push_back(std::move(pod));
  Group ended = std::move(group->second);
  groups_.erase(group);
  if (ended.pods.empty()) return;
  for (const Claim& claim : ended.claims) {
    if (is_of_group(claim)) rely_on(claim);
  }
}

// Pods that are handed on use it, so that no other order may take it back.
void GrantBook::rely_on(const Claim& claim) {
  for (auto& [number, group] : groups_) {
    for (Claim& other : group.claims) {
      if (same_place(other.place, claim.place)) other.wrote = false;
    }
  }
}

void GrantBook::fail(int64_t now_ms, int64_t number, const std::string& why) {
  Group failed = groups_.at(number);
  drop(number, why);
  int64_t releasing = ++last_number_;
  Group& group = groups_[releasing];
  for (Claim& claim : failed.claims) {
    if (is_of_group(claim) && !claim.wrote) continue;
    claim.step = Step::Ask;
    claim.tries = 0;
    group.claims.push_back(std::move(claim));
    due(now_ms, {releasing, group.claims.size() - 1});
  }
  if (group.claims.empty()) groups_.erase(releasing);
}

// Without release: what was written stays.
void GrantBook::drop(int64_t number, const std::string& why) {
  for (const PodWrite& pod : groups_.at(number).pods) give_back(pod, why);
  groups_.erase(number);
}

void GrantBook::give_back(const PodWrite& pod, const std::string& why) {
  forgotten_.pods.push_back({pod.name_space, pod.name});
  for (const ClaimGrant& grant : pod.grants) {
    forgotten_.claims.push_back({pod.name_space, grant.name});
  }
  if (options_.on_event) options_.on_event({PodEvent::What::BindFailed, pod, why});
}

void GrantBook::withdraw(int64_t now_ms, const std::string& gang) {
  std::vector<int64_t> of_gang;
  for (const auto& [number, group] : groups_) {
    if (!group.pods.empty() && group.pods.front().gang == gang) of_gang.push_back(number);
  }
  for (int64_t number : of_gang) fail(now_ms, number, "it is not wanted any more");
  std::erase_if(ready_, [&](const PodWrite& pod) {
    if (pod.gang != gang) return false;
    give_back(pod, "it is not wanted any more");
    release(now_ms, pod);
    return true;
  });
}

void GrantBook::disown() {
  since_ms_ = -1;
  groups_.clear();
  due_.clear();
  in_flight_.clear();
  unsure_.clear();
  ready_.clear();
}

bool GrantBook::holds(const std::string& name_space, const std::string& name) const {
  return std::ranges::any_of(groups_, [&](const auto& entry) {
    return std::ranges::any_of(entry.second.pods, [&](const PodWrite& pod) {
      return pod.name == name && pod.name_space == name_space;
    });
  });
}

}  // namespace trellis
