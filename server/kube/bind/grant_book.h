// Gangs whose pods use ResourceClaims, between their decision and their binds: the devices are
// written to the claims, with the pods that have them, and then all binds of the gang are handed
// on. A pure state machine, as BindBook is.
//
//   for each claim:  Ask (GET) -> Keep (its finalizer) -> Write (allocation, reservedFor)
//                     ^  -> Make (of extended resources), Await (what drivers report)
//                     +---- 409, no answer
//   for the gang:    all claims are written -> ready; anything else -> its pods are forgotten, and
//                    what was written is undone: Ask -> Release
//
// A claim of a PodGroup is reserved for the group instead of its pods. It is released only where
// its first order fails before any pod of the group has it.
//
// Words: a claim is *released* when pods that are not bound leave its reservedFor; if no pod is
// left there, the claim loses its devices. When a pod that was bound ends, the controller of claims
// does the same.
// Guarantees: no bind of a gang is handed on before all claims of all its pods say so. A claim that
// is allocated in another way is never overridden. No write without an answer undoes a later one:
// each names the version that was read, and a claim is left alone while such a write may still be
// carried out. A service that starts again finds in the claims what was written.
// Cost: O(claims of the gang) a step.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/kube/bind/claim_reply.h"
#include "server/kube/bind/pod_write.h"
#include "server/kube/client/api_request.h"
#include "server/sources/object_diff.h"

namespace trellis {

class GrantBook {
 public:
  static constexpr int kMostTries = 6;
  static constexpr int64_t kConflictMs = 10;
  static constexpr int64_t kAgainMs = 1'000;
  // An API server ends every request within a minute: an unanswered write is not carried out later.
  static constexpr int64_t kSettleMs = 60'000;
  // How long drivers may take, and how often they are looked at, as kube-scheduler has it.
  static constexpr int64_t kAwaitMs = 600'000;
  static constexpr int64_t kLookMs = 5'000;
  static constexpr size_t kMostInFlight = 64;
  static constexpr size_t kMostUsers = 256;  // of a claim, as the API server has it

  struct Options {
    std::function<void(const PodEvent& event)> on_event;  // may be empty
    std::function<std::string()> now_text;                // the time, as RFC 3339
  };
  explicit GrantBook(Options options) : options_(std::move(options)) {}

  // Adds the binds of a gang, some of which have grants.
  void order(int64_t now_ms, std::vector<PodWrite> pods);
  // Undoes the grants of a bind that will not be carried out.
  void release(int64_t now_ms, const PodWrite& bind);

  struct Send {
    int64_t ticket = 0;
    ApiRequest request;
  };
  // nullopt: nothing to send now.
  std::optional<Send> next(int64_t now_ms);
  // When there may be something to send; INT64_MAX: not before another call.
  int64_t next_ms() const;
  // `sent` false: the request was not allowed to be sent.
  void answered(int64_t now_ms, int64_t ticket, bool sent, const ApiAnswer& answer);

  // Drops all orders: another service decides.
  void disown();
  // Gives up the gang's binds.
  void withdraw(int64_t now_ms, const std::string& gang);

  // Each returns what was added since its last call.
  std::vector<PodWrite> take_ready() { return std::exchange(ready_, {}); }
  Forgotten take_forgotten() { return std::exchange(forgotten_, {}); }
  // Whether a bind of the pod waits here.
  bool holds(const std::string& name_space, const std::string& name) const;

 private:
  enum class Step : uint8_t { Ask, Make, Keep, Write, WritePodStatus, Await, Release, Done };
  struct Claim {
    ClaimPlace place;
    ClaimGrant grant;
    Json allocation;  // of the grant; null: the claim has one
    std::vector<ClaimUser> users;
    Step step = Step::Ask;
    int tries = 0;
    bool wrote = false;  // its users were written
    ClaimReply read;
  };
  // Without pods: claims to release.
  struct Group {
    std::vector<PodWrite> pods;
    std::vector<Claim> claims;
    int64_t deadline_ms = 0;  // while a claim awaits drivers
  };
  struct Place {
    int64_t group = 0;
    size_t claim = 0;
  };

  struct Flight {
    Place place;
    std::string key;  // "namespace/name" of the claim
    bool writes = false;
  };
  // A write that may still be carried out.
  struct Unsure {
    int64_t until_ms = 0;
    bool releases = false;
  };

  void due(int64_t at_ms, Place place) { due_.emplace(at_ms, place); }
  Claim& claim(Place place) { return groups_.at(place.group).claims[place.claim]; }
  bool releases(Place place) const { return groups_.at(place.group).pods.empty(); }
  static bool is_of_group(const Claim& claim) {
    return !claim.users.empty() && claim.users.front().kind == ClaimUser::Kind::Group;
  }
  void rely_on(const Claim& claim);
  static void add_claim(Group& group, const PodWrite& pod, const ClaimGrant& grant);
  void stop_releasing(const Claim& claim);
  bool must_wait(int64_t now_ms, Place place);
  ApiRequest request_of(const Claim& claim) const;
  void take_refusal(int64_t now_ms, Place place, const ApiAnswer& answer);
  void ask_again(int64_t now_ms, Place place, const std::string& why);
  std::string plan_grant(int64_t now_ms, Place place);
  std::string await_devices(int64_t now_ms, Place place);
  void plan_release(int64_t now_ms, Place place);
  void go(int64_t at_ms, Place place, Step step);
  void done(Place place);
  void fail(int64_t now_ms, int64_t number, const std::string& why);
  void drop(int64_t number, const std::string& why);
  void give_back(const PodWrite& pod, const std::string& why);

  Options options_;
  std::map<int64_t, Group> groups_;
  std::multimap<int64_t, Place> due_;  // may contain places of groups that are gone
  std::map<int64_t, Flight> in_flight_;
  std::map<std::string, Unsure> unsure_;  // by "namespace/name" of the claim
  int64_t since_ms_ = -1;                 // of the first order; < 0: there was none
  int64_t last_number_ = 0;
  std::vector<PodWrite> ready_;
  Forgotten forgotten_;
};

}  // namespace trellis
