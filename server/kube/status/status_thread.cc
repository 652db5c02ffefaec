#include "server/kube/status/status_thread.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <exception>
#include <iterator>
#include <utility>

#include "server/kube/status/node_requests.h"
#include "server/kube/status/owner_pod_groups.h"
#include "server/system/clock.h"
#include "server/system/process.h"

namespace trellis {
namespace {

// Cycles take precedence over statuses.
constexpr int kStatusNiceness = 5;
constexpr TimeUs kIdleUs = kSecondUs;
constexpr TimeUs kUsOfMs = 1000;
constexpr TimeUs kBreathUs = 50'000;

CallForNodes call_for_nodes(const NodeRequests& requests) {
  return requests.provisioning_class.empty() ? CallForNodes::ByCondition : CallForNodes::ByRequest;
}

// Events name the process that reports them: in a cluster its pod, whose name is the host's name.
StatusThread::Options finished_options(StatusThread::Options options) {
  options.book.nodes = call_for_nodes(options.node_requests);
  std::string name(HOST_NAME_MAX + 1, '\0');
  bool is_known = ::gethostname(name.data(), name.size()) == 0;
  name.resize(std::strlen(name.c_str()));
  options.book.events.instance = is_known && !name.empty() ? name : "trellis";
  return options;
}

}  // namespace

StatusThread::StatusThread(Options options)
    : options_(finished_options(std::move(options))),
      book_(std::make_unique<StatusBook>(options_.book)),
      objects_([&pool = options_.pool](ApiRequest request, WritePool::Done done) {
        pool.submit(Urgency::Status, std::move(request), std::move(done));
      }) {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

StatusThread::~StatusThread() {
  thread_.request_stop();
  inbox_->woken.notify_all();
}

void StatusThread::finished(const CycleRecord& record, const Cluster& cluster) {
  std::vector<ClusterEvent> evictions = eviction_events(cluster, record);
  {
    std::lock_guard lock(inbox_->mutex);
    inbox_->cycle = true;
    std::ranges::move(evictions, std::back_inserter(inbox_->evictions));
  }
  inbox_->woken.notify_one();
}

void StatusThread::configure(const NodeRequests& requests) {
  std::lock_guard lock(inbox_->mutex);
  inbox_->node_requests = requests;
}

// What is written to pods depends on them, too.
void StatusThread::take_settings() {
  std::optional<NodeRequests> changed;
  {
    std::lock_guard lock(inbox_->mutex);
    changed = std::exchange(inbox_->node_requests, std::nullopt);
  }
  if (!changed) return;
  options_.node_requests = *changed;
  CallForNodes by = call_for_nodes(*changed);
  if (std::exchange(options_.book.nodes, by) != by) replace_book();
}

StatusFigures StatusThread::figures() const {
  std::lock_guard lock(figures_mutex_);
  return figures_;
}

void StatusThread::rebuild_cluster() {
  if (looked_at_ != 0) replace_book();
}

void StatusThread::replace_book() {
  past_.add(book_->figures());
  book_ = std::make_unique<StatusBook>(options_.book);
  ++generation_;
  looked_at_ = 0;
}

void StatusThread::take_answers(std::vector<Inbox::Answer> answers) {
  TimeUs now = wall_us();
  for (const Inbox::Answer& answer : answers) {
    if (answer.generation != generation_) continue;
    if (answer.ticket != 0) {
      book_->done(answer.ticket, answer.answer, now);
      if (answer.answer.status >= 400) {
        std::string what = describe(answer.answer);
        options_.log.event(LogLevel::Warn, "event refused", {{"what", what}});
      }
    } else if (book_->done(answer.key, answer.answer, now) == WriteQueue::Fate::Refused) {
      std::string object = answer.key.name_space + "/" + answer.key.name;
      std::string what = describe(answer.answer);
      options_.log.event(LogLevel::Warn, "status refused",
                         {{"kind", answer.key.kind}, {"object", object}, {"what", what}});
    }
  }
  StatusFigures figures = past_;
  figures.add(book_->figures());
  std::lock_guard lock(figures_mutex_);
  figures_ = figures;
}

void StatusThread::submit(StatusBook::Write write) {
  options_.pool.submit(
      Urgency::Status, std::move(write.request),
      [inbox = inbox_, key = std::move(write.key),
       generation = generation_](const WritePool::Outcome& outcome) {
        std::lock_guard lock(inbox->mutex);
        inbox->answers.push_back({key, 0, generation, outcome.sent, outcome.answer});
        inbox->woken.notify_one();
      });
}

void StatusThread::submit(EventBook::Write write) {
  options_.pool.submit(
      Urgency::Event, std::move(write.request),
      [inbox = inbox_, ticket = write.ticket,
       generation = generation_](const WritePool::Outcome& outcome) {
        std::lock_guard lock(inbox->mutex);
        inbox->answers.push_back({{}, ticket, generation, outcome.sent, outcome.answer});
        inbox->woken.notify_one();
      });
}

// The observer is used for a short time only, as it answers people, too.
void StatusThread::look() {
  TimeUs now = wall_us();
  TimeUs more = book_->next_look();
  bool is_due = more != kNoTime && more <= now;
  bool is_new = options_.observer.last_number() != looked_at_;
  if (!is_new && !is_due && !book_->has_write(now)) return;
  std::vector<StatusBook::Write> writes;
  options_.observer.ask_what_changed([&](Observer::View view, TouchedSince& touched) {
    StatusView seen{.cluster = view.engine.cluster(),
                    .record = *view.cycle.record,
                    .notes = view.engine.workload_notes(),
                    .session = view.engine.scheduler().session(),
                    .owners = {},
                    .objects = *options_.objects,
                    .now = now};
    if (std::exchange(cluster_number_, view.cycle.cluster_number) != view.cycle.cluster_number)
      rebuild_cluster();
    if (is_due || view.cycle.number != looked_at_) book_->look(seen, touched.take());
    looked_at_ = view.cycle.number;
    while (auto write = book_->next_write(seen)) writes.push_back(std::move(*write));
  });
  for (StatusBook::Write& write : writes) submit(std::move(write));
}

void StatusThread::send() {
  while (auto write = book_->next_event(wall_us())) submit(std::move(*write));
}

// Looks through all gangs, so at most once a second; without a new cycle after kAgainMs, for writes
// that were refused.
void StatusThread::write_objects() {
  bool requests = !options_.node_requests.provisioning_class.empty();
  if ((!options_.create_pod_groups && !requests) || looked_at_ == 0) return;
  TimeUs now = wall_us();
  bool is_new = options_.observer.last_number() != written_at_;
  if (now < next_objects_ + (is_new ? 0 : WantedWrites::kAgainMs * kUsOfMs)) return;
  FindObject find = [this](std::string_view group, std::string_view kind,
                           std::string_view name_space, std::string_view name) {
    std::optional<LiveObject> found = options_.objects->find(group, kind, name_space, name);
    return found ? std::move(found->text) : std::string();
  };
  std::vector<ApiRequest> wanted;
  options_.observer.ask([&](Observer::View view) {
    written_at_ = view.cycle.number;
    const Cluster& cluster = view.engine.cluster();
    if (options_.create_pod_groups) wanted = owner_pod_group_requests(cluster, find);
    if (!requests) return;
    NodeRequestView seen{cluster, *view.cycle.record, *options_.objects, now};
    std::ranges::move(node_request_writes(seen, options_.node_requests),
                      std::back_inserter(wanted));
  });
  objects_.look(std::move(wanted), now / kUsOfMs);
  next_objects_ = now + kSecondUs;
}

void StatusThread::turn() {
  std::vector<ClusterEvent> evictions;
  std::vector<Inbox::Answer> answers;
  {
    std::lock_guard lock(inbox_->mutex);
    inbox_->cycle = false;
    evictions = std::exchange(inbox_->evictions, {});
    answers = std::exchange(inbox_->answers, {});
  }
  take_settings();
  if (options_.may_write && !options_.may_write()) return rebuild_cluster();
  take_answers(std::move(answers));
  book_->say(std::move(evictions), wall_us());
  look();
  send();
  write_objects();
}

// There is a short pause between turns, so that answers and cycles that come close together are
// handled together.
void StatusThread::wait(const std::stop_token& stop) {
  TimeUs now = wall_us();
  TimeUs next = book_->next_at(now);
  TimeUs wait = next == kNoTime ? kIdleUs : std::clamp(next - now, kBreathUs, kIdleUs);
  std::unique_lock lock(inbox_->mutex);
  inbox_->woken.wait_for(lock, stop, std::chrono::microseconds(wait), [this] {
    return inbox_->cycle || !inbox_->answers.empty() || !inbox_->evictions.empty();
  });
}

void StatusThread::run(const std::stop_token& stop) {
  set_niceness(kStatusNiceness);
  while (!stop.stop_requested()) {
    try {
      turn();
    } catch (const std::exception& failure) {
      options_.log.event(LogLevel::Error, "statuses cannot be written", {{"why", failure.what()}});
      looked_at_ = written_at_ = options_.observer.last_number();  // do not try this cycle again
    }
    wait(stop);
    std::unique_lock lock(inbox_->mutex);
    inbox_->woken.wait_for(lock, stop, std::chrono::microseconds(kBreathUs), [] { return false; });
  }
}

}  // namespace trellis
