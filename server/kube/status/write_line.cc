#include "server/kube/status/write_line.h"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

// The server is not to blame for what is sent: the same again would be refused again.
bool is_refusal(int status) {
  bool may_pass = status == kConflict || status == kTooManyRequests || status == kForbidden ||
                  status == kUnauthorized;
  return status >= 300 && status < kServerError && !may_pass;
}

}  // namespace

void WriteLine::line_up(const WriteKey& key, Entry& entry, TimeUs due) {
  entry.due = due;
  entry.turn = ++turns_;
  line_.emplace(entry.due, entry.turn, key);
}

void WriteLine::wish(const WriteKey& key, TimeUs now) {
  auto [at, is_new] = entries_.try_emplace(key);
  if (is_new) return line_up(key, at->second, now);
  at->second.wished_again = at->second.on_its_way;
}

std::optional<WriteKey> WriteLine::next(TimeUs now) {
  if (line_.empty() || on_their_way_ >= options_.most_sent) return std::nullopt;
  if (paused_until_ != kNoTime && now < paused_until_) return std::nullopt;
  if (std::get<0>(*line_.begin()) > now || !bucket_.has(now)) return std::nullopt;
  WriteKey key = std::get<WriteKey>(*line_.begin());
  line_.erase(line_.begin());
  return key;
}

void WriteLine::drop(const WriteKey& key) { entries_.erase(key); }

void WriteLine::put_off(const WriteKey& key, TimeUs now) {
  line_up(key, entries_.at(key), now + kLookAgainUs);
}

void WriteLine::sent(const WriteKey& key, TimeUs now) {
  bucket_.take(now);
  entries_.at(key).on_its_way = true;
  ++on_their_way_;
}

void WriteLine::rest(const WriteKey& key, Entry& entry, const ApiAnswer& answer, TimeUs now) {
  TimeUs wait = kFirstRestUs;
  for (int i = 0; i < entry.failures && wait < kMostRestUs; ++i) wait *= 2;
  ++entry.failures;
  entry.wished_again = false;
  if (answer.retry_after_ms > 0) {
    paused_until_ = std::max(paused_until_, now + answer.retry_after_ms * (kSecondUs / 1000));
  }
  line_up(key, entry, now + std::min(wait, kMostRestUs));
}

WriteLine::Fate WriteLine::done(const WriteKey& key, const ApiAnswer& answer, TimeUs now) {
  auto found = entries_.find(key);
  // From before clear().
  if (found == entries_.end() || !found->second.on_its_way) return Fate::Gone;
  Entry& entry = found->second;
  entry.on_its_way = false;
  --on_their_way_;
  bool refused = is_refusal(answer.status);
  if (!answer.accepted() && !refused) {
    rest(key, entry, answer, now);
    return Fate::Again;
  }
  if (std::exchange(entry.wished_again, false)) {
    // What was written just now must be seen before more is made of it.
    entry.failures = 0;
    line_up(key, entry, now + kLookAgainUs);
  } else {
    entries_.erase(found);
  }
  if (!refused) return Fate::Written;
  return answer.status == kNotFound ? Fate::Gone : Fate::Refused;
}

void WriteLine::clear() {
  entries_.clear();
  line_.clear();
  on_their_way_ = 0;
}

TimeUs WriteLine::next_at(TimeUs now) {
  if (line_.empty() || on_their_way_ >= options_.most_sent) return kNoTime;
  TimeUs due = std::max(std::get<0>(*line_.begin()), bucket_.next_at(now));
  return paused_until_ == kNoTime ? due : std::max(due, paused_until_);
}

}  // namespace trellis
