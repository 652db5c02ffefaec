// Decisions about pods that are not confirmed yet: binds and evictions, kept until the API server
// has carried them out and the watch has reported them. A pure state machine, as Reflector is: it
// returns what to send, takes the answers and the watch's reports, and never waits itself.
//
//   (Prepare ->) Send -> accepted -> Settled until the watch shows it; Ask if the watch is late
//     ^                -> refused for now: Send again, after a wait
//     |                -> 409, no answer, 5xx: Ask (GET)
//     +--------------------- it was not done: Send again, or failed for good
//
// To *prepare* an order is to send its first_request() before the write itself. Words: an order is
// *forgotten* when it has failed for good and its pod is unchanged: the pod has to be read again.
// An order is *lost* when the pod changed in another way (it is gone, was replaced by another pod
// of its name, or was bound by another scheduler): the watch reports that, and nothing has to be
// read again before. Guarantees: every write names the pod's uid, so that it never affects another
// pod of the same name. An order is not forgotten while a write of it that had no answer may still
// be carried out. A bind is only sent while its node exists: the API server would accept any node
// name. Cost: O(log orders) a step.
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
#include "server/kube/client/api_request.h"
#include "server/kube/client/backoff.h"
#include "server/kube/client/write_pool.h"
#include "server/metrics/cycle_figures.h"
#include "server/sources/object_diff.h"

namespace trellis {

class BindBook {
 public:
  static constexpr int kMostTries = 6;
  // An API server ends every request within a minute: an unanswered write is not carried out later.
  static constexpr int64_t kSettleMs = 60'000;
  // How long the watch may take to report a write that was accepted.
  static constexpr int64_t kPatienceMs = 30'000;
  static constexpr size_t kMostInFlight = 64;

  struct Options {
    uint64_t seed = 0;  // for the random part of waits
    Removal removal = Removal::Evict;
    std::function<bool(const std::string& node)> node_there;
    std::function<void(const PodEvent& event)> on_event;  // may be empty
    std::function<bool()> copies_labels = {};             // see WriteHabits; empty: true
  };
  explicit BindBook(Options options) : options_(std::move(options)), backoff_(options_.seed) {}

  // Adds an order. It is ignored while an earlier order of the same kind for the same pod is
  // unfinished. An order for an earlier pod of the same name is dropped.
  void order(int64_t now_ms, PodWrite order);

  struct Send {
    int64_t ticket = 0;
    Urgency urgency = Urgency::Bind;
    ApiRequest request;
  };
  // nullopt: nothing to send now.
  std::optional<Send> next(int64_t now_ms);
  // When there may be something to send; INT64_MAX: not before another call.
  int64_t next_ms() const;
  // `sent` false: the request was not allowed to be sent.
  void answered(int64_t now_ms, int64_t ticket, bool sent, const ApiAnswer& answer);

  // A pod as the watch reports it. `leaving`: the pod is being deleted, or has finished.
  struct Sighting {
    std::string_view name_space;
    std::string_view name;
    std::string_view uid;
    std::string_view node;
    bool leaving = false;
  };
  void seen(const Sighting& pod);
  void gone(std::string_view name_space, std::string_view name);

  // Stops assuming the orders so far: those that were not sent yet are dropped, the others are only
  // followed to their end.
  void disown();
  // Withdraws the gang's binds: those that were not sent are forgotten, those that are carried out
  // are undone by an eviction.
  void withdraw(const std::string& gang);

  // Whether a bind of the pod is still open: it may be carried out, or fail.
  bool has_open_bind(std::string_view name_space, std::string_view name) const;

  // Each returns what was added since its last call; the counters of take_figures() are totals.
  Forgotten take_forgotten() { return std::exchange(forgotten_, {}); }
  std::vector<PodWrite> take_failed_binds() { return std::exchange(failed_binds_, {}); }
  // Binds with grants whose pods stay unbound.
  std::vector<PodWrite> take_given_up() { return std::exchange(given_up_, {}); }
  BindFigures take_figures();

 private:
  enum class Step : uint8_t { Send, Ask, Settled };
  struct Entry {
    PodWrite order;
    Step step = Step::Send;
    bool prepared = false;
    bool settled = false;    // its outcome was reported
    bool disowned = false;   // not to be sent any more
    bool withdrawn = false;  // to be undone
    bool ended = false;      // the watch reported its end; the answer to its last write is missing
    int tries = 0;
    int64_t wait_ms = 0;  // the last wait
    int64_t ordered_ms = 0;
    int64_t due_ms = 0;            // its key in due_, while it is not in flight
    int64_t unknown_until_ms = 0;  // until then a write without an answer may be carried out
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
  void give_up(const PodWrite& order);
  void ask(int64_t ticket, Entry& entry, int64_t at_ms);
  int64_t wait(Entry& entry, int64_t at_least_ms);
  void report(PodEvent::What what, const PodWrite& order, const std::string& why) const;
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
  std::set<int64_t> in_flight_;                        // may contain tickets of erased entries
  int64_t last_ticket_ = 0;
  Forgotten forgotten_;
  std::vector<PodWrite> failed_binds_;
  std::vector<PodWrite> given_up_;
  BindFigures figures_;
};

}  // namespace trellis
