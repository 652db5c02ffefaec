// Gangs whose pods have waiting claims, between their decision and their binds: the claims are
// written, their binding by others is awaited, and then all binds of the gang are handed on. A pure
// state machine, as BindBook is.
//
//   for each claim:  Ask (GET) -> Write (PATCH) -> Written
//                     ^             -> 409, no answer: Ask again
//   for the gang:    all pods have their volumes -> ready; anything else -> its pods are forgotten
//
// Of a claim that gets a volume which exists, the volume is written (its claimRef); of a claim for
// which a volume is made, the claim (its selected node). Nothing of that is undone in the API
// server: what was written stays, as with kube-scheduler, and a later decision follows it.
// Guarantees: no bind of a gang is handed on before all claims of all its pods are bound, as the
// cluster shows them; a write names the version that was read, so that it never overrides another;
// a service that starts again finds what was written in the objects.
// Cost: O(claims of the gang) a step.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/kube/bind/pod_write.h"
#include "server/kube/client/api_request.h"
#include "server/sources/object_diff.h"

namespace trellis {

// What is written for one waiting claim.
struct ClaimWrite {
  std::string name_space;
  std::string name;
  std::string node;    // of its pod
  std::string volume;  // empty: one is made
};

class ClaimBook {
 public:
  // As long as kube-scheduler waits (`bindTimeoutSeconds`).
  static constexpr int64_t kTimeoutMs = 600'000;
  static constexpr int kMostTries = 6;
  static constexpr int64_t kAgainMs = 1'000;
  static constexpr size_t kMostInFlight = 32;

  explicit ClaimBook(std::function<void(const PodEvent& event)> on_event)
      : on_event_(std::move(on_event)) {}

  // Adds the binds of a gang. Pods of an earlier order of that gang are not affected. `waiting`:
  // whether the pod has waiting claims; empty `claims` of such a pod: nothing was chosen for it.
  struct GangPod {
    PodWrite bind;
    bool waits = false;
    std::vector<ClaimWrite> claims;
  };
  void order(int64_t now_ms, std::vector<GangPod> pods);

  struct Send {
    int64_t ticket = 0;
    ApiRequest request;
  };
  // nullopt: nothing to send now. Gangs that waited too long fail.
  std::optional<Send> next(int64_t now_ms);
  // When there may be something to send; INT64_MAX: not before another call.
  int64_t next_ms() const;
  void answered(int64_t now_ms, int64_t ticket, bool sent, const ApiAnswer& answer);

  // What the cluster shows of a pod. Chosen: the nodes of all claims that get volumes made are
  // written.
  enum class State : uint8_t { Waits, Chosen, Bound, Failed };
  struct Sight {
    State state = State::Waits;
    std::string why;  // of Failed
  };
  // Asks about each pod that waits.
  void look(const std::function<Sight(const PodWrite& bind)>& sight);

  // Drops all orders: another service decides.
  void disown();
  // Forgets the gang's binds.
  void withdraw(const std::string& gang);

  // Each returns what was added since its last call.
  std::vector<PodWrite> take_ready() { return std::exchange(ready_, {}); }
  Forgotten take_forgotten() { return std::exchange(forgotten_, {}); }
  // Whether a bind of the pod waits here.
  bool holds(const std::string& name_space, const std::string& name) const;

 private:
  enum class Step : uint8_t { AskClaim, AskVolume, Write, Written };
  struct Claim {
    ClaimWrite write;
    Step step = Step::AskClaim;
    int tries = 0;
    std::string uid;      // of the claim
    std::string version;  // of the object that is written
  };
  struct Pod {
    PodWrite bind;
    State state = State::Waits;
  };
  struct Group {
    std::vector<Pod> pods;
    std::vector<Claim> claims;
    int64_t deadline_ms = 0;
  };
  struct Place {
    int64_t group = 0;
    size_t claim = 0;
  };

  void due(int64_t at_ms, Place place) { due_.emplace(at_ms, place); }
  void take_claim(int64_t now_ms, Place place, const ApiAnswer& answer);
  void take_volume(int64_t now_ms, Place place, const ApiAnswer& answer);
  void take_write(int64_t now_ms, Place place, const ApiAnswer& answer);
  void ask_again(int64_t now_ms, Place place, const std::string& why);
  void fail(int64_t group, const std::string& why);
  Claim& claim(Place place) { return groups_.at(place.group).claims[place.claim]; }

  std::function<void(const PodEvent& event)> on_event_;
  std::map<int64_t, Group> groups_;
  std::multimap<int64_t, Place> due_;  // may contain places of groups that are gone
  std::map<int64_t, Place> in_flight_;
  int64_t last_number_ = 0;
  std::vector<PodWrite> ready_;
  Forgotten forgotten_;
};

}  // namespace trellis
