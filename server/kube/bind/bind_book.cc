#include "server/kube/bind/bind_book.h"

#include <algorithm>
#include <climits>

namespace trellis {
namespace {

using WriteKind = PodWrite::Kind;

constexpr int64_t kFirstWaitMs = 500;
constexpr int64_t kMostWaitMs = 15'000;
// The time until an eviction checks again whether the pod's bind is still open.
constexpr int64_t kLookAgainMs = 200;
// The most latencies that are kept until they are taken.
constexpr size_t kMostLatencies = 100'000;

bool is_bind(const PodWrite& order) { return order.kind == WriteKind::Bind; }

}  // namespace

std::string BindBook::key(WriteKind kind, std::string_view name_space, std::string_view name) {
  std::string key(kind == WriteKind::Bind ? "b/" : "e/");
  key.append(name_space).append("/").append(name);
  return key;
}

BindBook::Entry* BindBook::find(WriteKind kind, std::string_view name_space, std::string_view name,
                                int64_t& ticket) {
  auto found = tickets_.find(key(kind, name_space, name));
  if (found == tickets_.end()) return nullptr;
  ticket = found->second;
  return &entries_.at(ticket);
}

void BindBook::erase(int64_t ticket) {
  auto at = entries_.find(ticket);
  const PodWrite& order = at->second.order;
  tickets_.erase(key(order.kind, order.name_space, order.name));
  due_.erase({at->second.due_ms, ticket});
  entries_.erase(at);
}

// The watch may report the result before the answer arrives. The entry is kept until then, as the
// answer shows that this write caused the result.
void BindBook::end(int64_t ticket) {
  if (!in_flight_.contains(ticket)) return erase(ticket);
  entries_.at(ticket).ended = true;
}

void BindBook::order(int64_t now_ms, PodWrite order) {
  int64_t ticket = 0;
  if (Entry* known = find(order.kind, order.name_space, order.name, ticket)) {
    if (known->order.uid == order.uid) return;
    erase(ticket);
  }
  ticket = ++last_ticket_;
  tickets_[key(order.kind, order.name_space, order.name)] = ticket;
  Entry& entry = entries_[ticket];
  entry = {.order = std::move(order), .ordered_ms = now_ms};
  due(ticket, entry, now_ms + entry.order.grace_ms);
}

void BindBook::due(int64_t ticket, Entry& entry, int64_t at_ms) {
  due_.erase({entry.due_ms, ticket});
  entry.due_ms = at_ms;
  due_.emplace(at_ms, ticket);
}

bool BindBook::has_open_bind(std::string_view name_space, std::string_view name) const {
  auto found = tickets_.find(key(WriteKind::Bind, name_space, name));
  return found != tickets_.end() && entries_.at(found->second).step != Step::Settled;
}

// False: the entry must not be sent now, or never.
bool BindBook::may_send(int64_t now_ms, int64_t ticket, Entry& entry) {
  if (entry.disowned || entry.withdrawn) {
    not_done(now_ms, ticket, entry, "it is not wanted any more", 0);
    return false;
  }
  if (is_bind(entry.order)) {
    if (options_.node_there(entry.order.node)) return true;
    std::string why = "its node " + entry.order.node + " is gone";
    entry.disowned = true;
    if (entry.tries > 0) {
      not_done(now_ms, ticket, entry, why, 0);
    } else {
      fail(ticket, entry, why);
    }
    return false;
  }
  if (!has_open_bind(entry.order.name_space, entry.order.name)) return true;
  due(ticket, entry, now_ms + kLookAgainMs);
  return false;
}

ApiRequest BindBook::next_write(Entry& entry) {
  bool again = entry.tries++ > 0;
  if (!entry.prepared) {
    WriteHabits habits{.removal = options_.removal,
                       .copies_labels = !options_.copies_labels || options_.copies_labels()};
    if (auto first = first_request(entry.order, habits)) return *std::move(first);
    entry.prepared = true;
  }
  ++(is_bind(entry.order) ? figures_.sent : figures_.evictions_sent);
  if (again) ++figures_.retried;
  return write_request(entry.order, options_.removal);
}

std::optional<BindBook::Send> BindBook::next(int64_t now_ms) {
  while (in_flight_.size() < kMostInFlight && !due_.empty() && due_.begin()->first <= now_ms) {
    int64_t ticket = due_.begin()->second;
    due_.erase(due_.begin());
    Entry& entry = entries_.at(ticket);
    // The watch is late: perhaps there is nothing that it could report.
    if (entry.step == Step::Settled) entry.step = Step::Ask;
    Send send{.ticket = ticket,
              .urgency = is_bind(entry.order) ? Urgency::Bind : Urgency::Evict,
              .request = {}};
    if (entry.step == Step::Ask) {
      send.request = read_request(entry.order);
    } else {
      if (!may_send(now_ms, ticket, entry)) continue;
      send.request = next_write(entry);
    }
    in_flight_.insert(ticket);
    return send;
  }
  return std::nullopt;
}

int64_t BindBook::next_ms() const {
  bool full = in_flight_.size() >= kMostInFlight;
  return full || due_.empty() ? INT64_MAX : due_.begin()->first;
}

void BindBook::answered(int64_t now_ms, int64_t ticket, bool sent, const ApiAnswer& answer) {
  in_flight_.erase(ticket);
  auto found = entries_.find(ticket);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  if (entry.ended) {
    bool done = sent && entry.step == Step::Send && entry.prepared && answer.accepted();
    if (done) settle(now_ms, ticket, entry);
    return erase(ticket);
  }
  if (!sent) {
    forgotten_.pods.push_back({entry.order.name_space, entry.order.name});
    return erase(ticket);
  }
  if (entry.step == Step::Ask) return take_pod(now_ms, ticket, entry, answer);
  if (!entry.prepared && take_preparation(now_ms, ticket, entry, answer)) return;
  take_answer(now_ms, ticket, entry, answer);
}

// False: the preparation failed; this is handled as a failure of the write itself.
bool BindBook::take_preparation(int64_t now_ms, int64_t ticket, Entry& entry,
                                const ApiAnswer& answer) {
  // A pod that leaves without the condition is better than one that does not leave.
  bool refused = answer.status == kForbidden || answer.status == kUnprocessable;
  if (!answer.accepted() && (is_bind(entry.order) || !refused)) return false;
  entry.prepared = true;
  entry.tries = 0;
  due(ticket, entry, now_ms);
  return true;
}

void BindBook::take_answer(int64_t now_ms, int64_t ticket, Entry& entry, const ApiAnswer& answer) {
  bool bind = is_bind(entry.order);
  if (answer.accepted()) {
    settle(now_ms, ticket, entry);
  } else if (answer.status == kNotFound) {
    if (bind) return lose(now_ms, ticket, entry, "the pod is gone");
    settle(now_ms, ticket, entry);
  } else if (answer.status == kConflict) {
    ask(ticket, entry, now_ms);
  } else if (answer.says_nothing()) {
    entry.unknown_until_ms = now_ms + kSettleMs;
    ask(ticket, entry, now_ms + wait(entry, answer.retry_after_ms));
  } else {
    not_done(now_ms, ticket, entry, describe(answer), answer.retry_after_ms);
  }
}

// Handles the state of the pod: it shows whether the write was carried out.
void BindBook::take_pod(int64_t now_ms, int64_t ticket, Entry& entry, const ApiAnswer& answer) {
  bool bind = is_bind(entry.order);
  bool absent = answer.status == kNotFound;
  Result<PodReply> pod = absent ? PodReply() : read_pod_reply(answer.body);
  if (!absent && (!answer.ok() || !pod)) {
    return ask(ticket, entry, now_ms + wait(entry, answer.retry_after_ms));
  }
  bool other = absent || pod->uid != entry.order.uid;
  if (!bind) {
    if (other || pod->leaving) return settle(now_ms, ticket, entry);
    return not_done(now_ms, ticket, entry, "the pod stays", 0);
  }
  if (other) return lose(now_ms, ticket, entry, "the pod is gone");
  if (pod->node == entry.order.node) return settle(now_ms, ticket, entry);
  if (!pod->node.empty())
    return lose(now_ms, ticket, entry, "bound to " + pod->node + " by others");
  if (pod->leaving) return lose(now_ms, ticket, entry, "the pod is leaving");
  not_done(now_ms, ticket, entry, "the pod is not bound", 0);
}

void BindBook::not_done(int64_t now_ms, int64_t ticket, Entry& entry, const std::string& why,
                        int64_t at_least_ms) {
  bool again = entry.tries < kMostTries && !entry.disowned && !entry.withdrawn;
  if (again) {
    entry.step = Step::Send;
    due(ticket, entry, now_ms + wait(entry, at_least_ms));
  } else if (now_ms < entry.unknown_until_ms) {
    ask(ticket, entry, entry.unknown_until_ms);
  } else if (entry.step == Step::Send) {
    ask(ticket, entry, now_ms);
  } else {
    fail(ticket, entry, why);
  }
}

void BindBook::settle(int64_t now_ms, int64_t ticket, Entry& entry) {
  bool bind = is_bind(entry.order);
  entry.step = Step::Settled;
  due(ticket, entry, now_ms + kPatienceMs);
  if (std::exchange(entry.settled, true)) return;
  ++(bind ? figures_.bound : figures_.evicted);
  if (bind && figures_.latency_ms.size() < kMostLatencies) {
    figures_.latency_ms.push_back(now_ms - entry.ordered_ms);
  }
  report(bind ? PodEvent::What::Bound : PodEvent::What::Evicted, entry.order, "");
  if (bind && entry.withdrawn) undo(now_ms, entry);
}

void BindBook::undo(int64_t now_ms, const Entry& bind) {
  PodWrite undone = bind.order;
  undone.kind = WriteKind::Evict;
  undone.cause = kNotEnoughBound;
  order(now_ms, std::move(undone));
}

void BindBook::lose(int64_t now_ms, int64_t ticket, Entry& entry, const std::string& why) {
  entry.step = Step::Settled;
  due(ticket, entry, now_ms + kPatienceMs);
  if (!std::exchange(entry.settled, true)) note_failure(entry, why);
}

void BindBook::fail(int64_t ticket, Entry& entry, const std::string& why) {
  forgotten_.pods.push_back({entry.order.name_space, entry.order.name});
  give_up(entry.order);
  if (!std::exchange(entry.settled, true)) note_failure(entry, why);
  erase(ticket);
}

void BindBook::note_failure(const Entry& entry, const std::string& why) {
  bool bind = is_bind(entry.order);
  ++(bind ? figures_.failed : figures_.evictions_failed);
  if (bind) failed_binds_.push_back(entry.order);
  report(bind ? PodEvent::What::BindFailed : PodEvent::What::EvictionFailed, entry.order, why);
}

void BindBook::give_up(const PodWrite& order) {
  if (is_bind(order) && !order.grants.empty()) given_up_.push_back(order);
}

void BindBook::ask(int64_t ticket, Entry& entry, int64_t at_ms) {
  entry.step = Step::Ask;
  due(ticket, entry, at_ms);
}

// Doubles with each try up to kMostWaitMs, plus a random part so that orders are not all sent again
// at once.
int64_t BindBook::wait(Entry& entry, int64_t at_least_ms) {
  entry.wait_ms = std::clamp(2 * entry.wait_ms, kFirstWaitMs, kMostWaitMs);
  return std::max(at_least_ms, entry.wait_ms) + backoff_.below(entry.wait_ms / 2);
}

void BindBook::report(PodEvent::What what, const PodWrite& order, const std::string& why) const {
  if (options_.on_event) options_.on_event({what, order, why});
}

void BindBook::seen(const Sighting& pod) {
  int64_t ticket = 0;
  if (Entry* bind = find(WriteKind::Bind, pod.name_space, pod.name, ticket)) {
    bool other = bind->order.uid != pod.uid;
    bool is_ours = !other && pod.node == bind->order.node;
    if (is_ours && !bind->ended) ++figures_.confirmed;
    if (is_ours && bind->withdrawn && !pod.leaving) undo(bind->ordered_ms, *bind);
    if (other || pod.leaving || !pod.node.empty()) end(ticket);
  }
  if (Entry* eviction = find(WriteKind::Evict, pod.name_space, pod.name, ticket)) {
    if (eviction->order.uid != pod.uid || pod.leaving) end(ticket);
  }
}

void BindBook::gone(std::string_view name_space, std::string_view name) {
  int64_t ticket = 0;
  for (WriteKind kind : {WriteKind::Bind, WriteKind::Evict}) {
    if (find(kind, name_space, name, ticket) != nullptr) end(ticket);
  }
}

void BindBook::disown() {
  std::vector<int64_t> unsent;
  for (auto& [ticket, entry] : entries_) {
    entry.disowned = true;
    if (entry.step == Step::Send && entry.tries == 0) unsent.push_back(ticket);
  }
  for (int64_t ticket : unsent) erase(ticket);
}

void BindBook::withdraw(const std::string& gang) {
  std::vector<int64_t> unsent;
  for (auto& [ticket, entry] : entries_) {
    if (!is_bind(entry.order) || entry.order.gang != gang) continue;
    entry.withdrawn = true;
    if (entry.step == Step::Send && entry.tries == 0) unsent.push_back(ticket);
  }
  for (int64_t ticket : unsent) {
    const PodWrite& order = entries_.at(ticket).order;
    forgotten_.pods.push_back({order.name_space, order.name});
    give_up(order);
    erase(ticket);
  }
}

BindFigures BindBook::take_figures() {
  BindFigures figures = figures_;
  figures.open = static_cast<int64_t>(entries_.size());
  figures_.latency_ms.clear();
  return figures;
}

}  // namespace trellis
