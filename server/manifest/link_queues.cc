#include "server/manifest/link_queues.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/document/first_error.h"

namespace trellis {
namespace {

// Of queues above each other: each pod counts in all of them.
constexpr size_t kMostQueueLevels = 64;

enum class QueueState : uint8_t { New, OnPath, Good, LeftOut };

class QueueLinker {
 public:
  QueueLinker(std::vector<QueueRecord>& queues, const Vocabulary& vocabulary, Report& report)
      : queues_(queues),
        vocabulary_(vocabulary),
        report_(report),
        states_(queues.size()),
        levels_(queues.size(), 0) {
    by_name_.reserve(queues_.size());
    for (size_t i = 0; i < queues_.size(); ++i) {
      by_name_.emplace(queues_[i].meta.key.name.value, i);
    }
  }

  void run() {
    for (size_t i = 0; i < queues_.size(); ++i) climb(i);
    for (const QueueRecord& queue : queues_) {
      if (!queue.meta.broken() && queue.queue.parent.valid()) compare_with_parent(queue);
    }
  }

 private:
  // Goes up to a queue that is judged already, or to a root; then down again.
  void climb(size_t start) {
    std::vector<size_t>& path = path_;
    path.clear();
    size_t at = start;
    QueueState end = QueueState::Good;
    while (true) {
      if (states_[at] == QueueState::OnPath) {
        report_circle(path, at);
        end = QueueState::LeftOut;
        break;
      }
      if (states_[at] != QueueState::New) {
        end = states_[at];
        break;
      }
      states_[at] = QueueState::OnPath;
      path.push_back(at);
      QueueRecord& queue = queues_[at];
      if (queue.meta.broken()) {
        end = QueueState::LeftOut;
        break;
      }
      if (!queue.queue.parent.valid()) break;
      auto parent = by_name_.find((*queue.queue.parent).value);
      if (parent == by_name_.end()) {
        std::string_view word = vocabulary_.strings.view(*queue.queue.parent);
        fail(queue, {in_quotes(word), "the name of a Queue", report_.nearest(word, names())});
        end = QueueState::LeftOut;
        break;
      }
      at = parent->second;
    }
    size_t level = path.empty() || at == path.back() ? 0 : levels_[at];
    for (size_t i = path.size(); i-- > 0;) {
      QueueRecord& queue = queues_[path[i]];
      levels_[path[i]] = ++level;
      if (end == QueueState::Good && level > kMostQueueLevels) {
        fail(queue, {std::to_string(level) + " queues above each other",
                     "at most " + std::to_string(kMostQueueLevels), ""});
        end = QueueState::LeftOut;
      }
      states_[path[i]] = end;
      if (end == QueueState::Good || queue.meta.broken()) continue;
      queue.meta.error = parent_of(queue).meta.error;
      report_.warning(queue.at->parent, {"a parent that is left out", "one that can be used", ""});
    }
  }

  const std::vector<std::string_view>& names() {
    if (names_.empty()) {
      for (const QueueRecord& queue : queues_) names_.push_back(queue.queue.name);
    }
    return names_;
  }

  // Every queue of the circle is reported here, so that only the path below it is left.
  void report_circle(const std::vector<size_t>& path, size_t entry) {
    size_t first = 0;
    while (path[first] != entry) ++first;
    for (size_t i = first; i < path.size(); ++i) {
      QueueRecord& queue = queues_[path[i]];
      fail(queue, {in_quotes(vocabulary_.strings.view(*queue.queue.parent)) +
                       ", which is below this queue itself",
                   "a parent above it", ""});
    }
  }

  void fail(QueueRecord& queue, Finding finding) {
    FirstError first(report_);
    report_.error(queue.at->parent, std::move(finding));
    queue.meta.error = first.in("Queue", queue.queue.name);
  }

  // REQUIRES: the queue has a parent, and the parent is in the input.
  const QueueRecord& parent_of(const QueueRecord& queue) const {
    return queues_[by_name_.find((*queue.queue.parent).value)->second];
  }

  // The parent's figures hold whatever the child's are; but the author meant something by both.
  void compare_with_parent(const QueueRecord& queue) {
    const QueueRecord& parent = parent_of(queue);
    const std::string& name = parent.queue.name;
    compare({queue.at->gpu, queue.queue.gpu}, {parent.at->gpu, parent.queue.gpu}, name);
    compare({queue.at->cpu, queue.queue.cpu}, {parent.at->cpu, parent.queue.cpu}, name);
    compare({queue.at->memory, queue.queue.memory}, {parent.at->memory, parent.queue.memory}, name);
  }

  struct PlacedShare {
    const QueuePlaces::Share& places;
    const QueueShare& share;
  };

  void compare(const PlacedShare& own, const PlacedShare& above, const std::string& parent) {
    constexpr int64_t unlimited = QueueShare::kUnlimited;
    int64_t quota = own.share.quota;
    bool bounded = above.share.quota != unlimited && !above.places.quota.path.empty();
    if (bounded && (quota == unlimited || quota > above.share.quota)) {
      warn(own.places.quota, "a quota", parent);
    }
    // No limit of its own is the usual case.
    bool limited = own.share.limit != unlimited && above.share.limit != unlimited;
    if (limited && own.share.limit > above.share.limit) {
      warn(own.places.limit, "a limit", parent);
    }
  }

  void warn(const Place& at, std::string_view what, const std::string& parent) {
    report_.warning(at, {std::string(what) + " above that of parent " + in_quotes(parent),
                         "at most the parent's, which holds", ""});
  }

  std::vector<QueueRecord>& queues_;
  const Vocabulary& vocabulary_;
  Report& report_;
  std::vector<QueueState> states_;
  std::vector<size_t> levels_;  // of good queues: queues up to the root
  absl::flat_hash_map<uint32_t, size_t> by_name_;
  std::vector<std::string_view> names_;  // empty until a message needs them
  std::vector<size_t> path_;             // of climb(), so that its memory is reused
};

}  // namespace

void link_queues(std::vector<QueueRecord>& queues, const Vocabulary& vocabulary, Report& report) {
  QueueLinker(queues, vocabulary, report).run();
}

}  // namespace trellis
