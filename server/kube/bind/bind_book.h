// What cycles decided of pods, until the API server has done it and the watch has told of it: binds
// and evictions. A pure state machine, as Reflector is: it returns what to send, takes what came of
// it and what the watch sees, and never waits itself.
//
//   (Prepare ->) Send -> accepted -> Settled until the watch shows it; asked about if it is late
//     ^                -> refused for now: again, after a wait
//     |                -> 409, no answer, 5xx: Ask (GET)
//     +--------------------- it was not done: again, or failed for good
//
// To *prepare* is to write what must stand on the pod first (first_request()).
// Words: an order is *forgotten* when it has failed for good and its pod still stands as it did:
// the pod is to be read again. It is *lost* when the pod went its own way (gone, replaced by
// another of its name, bound by another scheduler): the watch reports it, and nothing is to be read
// again before. Guarantees: every write names the pod's uid, so that it never means another pod of
// its name. An order is not forgotten while a write of it without an answer may still come true. A
// bind is only sent while its node is there: the API server would take any. Cost: O(log orders) a
// step.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/kube/bind/pod_write.h"
#include "server/kube/client/api_answer.h"
#include "server/kube/client/backoff.h"
#include "server/kube/client/write_pool.h"
#include "server/metrics/cycle_figures.h"
#include "server/sources/object_diff.h"

namespace trellis {

class BindBook {
 public:
  static constexpr int kMostTries = 6;
  // An API server ends every request in a minute: what had no answer does not come true later.
  static constexpr int64_t kSettleMs = 60'000;
  // For the watch to tell of what was done.
  static constexpr int64_t kPatienceMs = 30'000;
  static constexpr size_t kMostInFlight = 64;

  struct Options {
    uint64_t seed = 0;  // of waits
    Removal removal = Removal::Evict;
    std::function<bool(const std::string& node)> node_there;
    std::function<void(const PodEvent& event)> told;  // may be empty
    std::function<bool()> copies_labels = {};         // WriteHabits; empty: it does
  };
  explicit BindBook(Options options) : options_(std::move(options)), backoff_(options_.seed) {}

  // Another order of the same kind about the same pod must have come to its end; if it has not, it
  // stands, and this one is nothing.
  void order(int64_t now_ms, PodWrite order);

  struct Send {
    int64_t ticket = 0;
    Urgency urgency = Urgency::Bind;
    ApiRequest request;
  };
  // nullopt: nothing to send now.
  std::optional<Send> next(int64_t now_ms);
  // When there may be something to send; INT64_MAX: only once something else happens.
  int64_t next_ms() const;
  // `sent` false: it was not allowed to go out.
  void answered(int64_t now_ms, int64_t ticket, bool sent, const ApiAnswer& answer);

  // What the watch says of a pod. `leaving`: it was told to go, or runs no more.
  struct Sighting {
    std::string_view name_space;
    std::string_view name;
    std::string_view uid;
    std::string_view node;
    bool leaving = false;
  };
  void seen(const Sighting& pod);
  void gone(std::string_view name_space, std::string_view name);

  // What was ordered is not assumed any more: what was not sent yet never is; what was is only
  // followed to its end.
  void disown();
  // No pod of the gang shall stay: its binds that were not sent are forgotten, those that come true
  // are undone by an eviction.
  void withdraw(const std::string& gang);

  // Whether a bind of the pod may still come true or fail.
  bool has_open_bind(std::string_view name_space, std::string_view name) const;

  // Since they were last taken.
  Forgotten take_forgotten() { return std::exchange(forgotten_, {}); }
  std::vector<PodWrite> take_failed_binds() { return std::exchange(failed_binds_, {}); }
  BindFigures take_figures();

 private:
  enum class Step : uint8_t { Send, Ask, Settled };
  struct Entry {
    PodWrite order;
    Step step = Step::Send;
    bool prepared = false;
    bool settled = false;    // its end was told
    bool disowned = false;   // not to be sent any more
    bool withdrawn = false;  // to be undone
    bool ended = false;      // the watch told its end; only the answer to its last write is missing
    int tries = 0;
    int64_t wait_ms = 0;  // the last one
    int64_t ordered_ms = 0;
    int64_t due_ms = 0;            // in due_, where it is not in flight
    int64_t unknown_until_ms = 0;  // a write without an answer may still come true
  };
  using Entries = std::map<int64_t, Entry>;  // by ticket

  bool may_send(int64_t now_ms, int64_t ticket, Entry& entry);
  ApiRequest next_write(Entry& entry);
  bool take_preparation(int64_t now_ms, int64_t ticket, Entry& entry, const ApiAnswer& answer);
  void due(int64_t ticket, Entry& entry, int64_t at_ms);
  void take_answer(int64_t now_ms, int64_t ticket, Entry& entry, const ApiAnswer& answer);
  void take_pod(int64_t now_ms, int64_t ticket, Entry& entry, const ApiAnswer& answer);
  void not_done(int64_t now_ms, int64_t ticket, Entry& entry, const std::string& why,
                int64_t at_least_ms);
  void settle(int64_t now_ms, int64_t ticket, Entry& entry);
  void undo(int64_t now_ms, const Entry& bind);
  void lose(int64_t now_ms, int64_t ticket, Entry& entry, const std::string& why);
  void fail(int64_t ticket, Entry& entry, const std::string& why);
  void note_failure(const Entry& entry, const std::string& why);
  void ask(int64_t ticket, Entry& entry, int64_t at_ms);
  int64_t wait(Entry& entry, int64_t at_least_ms);
  void tell(PodEvent::What what, const PodWrite& order, const std::string& why) const;
  void end(int64_t ticket);
  void erase(int64_t ticket);
  static std::string key(PodWrite::Kind kind, std::string_view name_space, std::string_view name);
  Entry* find(PodWrite::Kind kind, std::string_view name_space, std::string_view name,
              int64_t& ticket);

  Options options_;
  Backoff backoff_;  // for its random numbers
  Entries entries_;
  absl::flat_hash_map<std::string, int64_t> tickets_;  // by key(); never iterated
  std::set<std::pair<int64_t, int64_t>> due_;          // when, ticket
  std::set<int64_t> in_flight_;                        // also of entries that are no more
  int64_t last_ticket_ = 0;
  Forgotten forgotten_;
  std::vector<PodWrite> failed_binds_;
  BindFigures figures_;
};

}  // namespace trellis
