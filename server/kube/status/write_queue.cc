#include "server/kube/status/write_queue.h"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

// The write itself is wrong: the same one would be refused again.
bool is_refusal(int status) {
  bool may_pass = status == kConflict || status == kTooManyRequests || status == kForbidden ||
                  status == kUnauthorized;
  return status >= 300 && status < kServerError && !may_pass;
}

}  // namespace

void WriteQueue::queue(const WriteKey& key, Entry& entry, TimeUs due) {
  entry.due = due;
  entry.turn = ++turns_;
  queue_.emplace(entry.due, entry.turn, key);
}

void WriteQueue::add(const WriteKey& key, TimeUs now) {
  auto [at, is_new] = entries_.try_emplace(key);
  if (is_new) return queue(key, at->second, now);
  at->second.added_again = at->second.in_flight;
}

std::optional<WriteKey> WriteQueue::next(TimeUs now) {
  if (queue_.empty() || in_flight_ >= options_.most_in_flight) return std::nullopt;
  if (paused_until_ != kNoTime && now < paused_until_) return std::nullopt;
  if (std::get<0>(*queue_.begin()) > now || !bucket_.has(now)) return std::nullopt;
  WriteKey key = std::get<WriteKey>(*queue_.begin());
  queue_.erase(queue_.begin());
  return key;
}

void WriteQueue::drop(const WriteKey& key) { entries_.erase(key); }

void WriteQueue::delay(const WriteKey& key, TimeUs now) {
  queue(key, entries_.at(key), now + kDelayUs);
}

void WriteQueue::sent(const WriteKey& key, TimeUs now) {
  bucket_.take(now);
  entries_.at(key).in_flight = true;
  ++in_flight_;
}

void WriteQueue::back_off(const WriteKey& key, Entry& entry, const ApiAnswer& answer, TimeUs now) {
  TimeUs wait = kFirstBackoffUs;
  for (int i = 0; i < entry.failures && wait < kMostBackoffUs; ++i) wait *= 2;
  ++entry.failures;
  entry.added_again = false;
  if (answer.retry_after_ms > 0) {
    paused_until_ = std::max(paused_until_, now + answer.retry_after_ms * (kSecondUs / 1000));
  }
  queue(key, entry, now + std::min(wait, kMostBackoffUs));
}

WriteQueue::Fate WriteQueue::done(const WriteKey& key, const ApiAnswer& answer, TimeUs now) {
  auto found = entries_.find(key);
  // The key was sent before clear().
  if (found == entries_.end() || !found->second.in_flight) return Fate::Gone;
  Entry& entry = found->second;
  entry.in_flight = false;
  --in_flight_;
  bool refused = is_refusal(answer.status);
  if (!answer.accepted() && !refused) {
    back_off(key, entry, answer, now);
    return Fate::Again;
  }
  if (std::exchange(entry.added_again, false)) {
    // The watch must show this write before the next one is built.
    entry.failures = 0;
    queue(key, entry, now + kDelayUs);
  } else {
    entries_.erase(found);
  }
  if (!refused) return Fate::Written;
  return answer.status == kNotFound ? Fate::Gone : Fate::Refused;
}

void WriteQueue::clear() {
  entries_.clear();
  queue_.clear();
  in_flight_ = 0;
}

TimeUs WriteQueue::next_at(TimeUs now) {
  if (queue_.empty() || in_flight_ >= options_.most_in_flight) return kNoTime;
  TimeUs due = std::max(std::get<0>(*queue_.begin()), bucket_.next_at(now));
  return paused_until_ == kNoTime ? due : std::max(due, paused_until_);
}

}  // namespace trellis
