#include "server/kube/status/event_book.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "server/document/json_objects.h"
#include "server/document/timestamp.h"

namespace trellis {
namespace {

constexpr const char* kController = "trellis.scheduler/trellis";
constexpr size_t kMostNamePrefix = 200;  // names have at most 253 letters

std::string hex_digits(uint64_t number) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(number >> shift) & 15];
  return text;
}

// A cut must not split a UTF-8 character.
std::string cut(std::string text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "...";
}

// Objects without a namespace have their events in the default one.
std::string space_of(const EventSubject& subject) {
  return subject.name_space.empty() ? "default" : subject.name_space;
}

}  // namespace

EventBook::EventBook(Options options) : options_(std::move(options)), bucket_(options_.rate) {}

void EventBook::line_up(const SeriesKey& key, Series& series) {
  if (std::exchange(series.waits, true)) return;
  waiting_.push_back(key);
}

void EventBook::forget_old(TimeUs now) {
  bool full = series_.size() >= options_.most_series;
  bool due = forgotten_at_ == kNoTime || now >= forgotten_at_ + kSeriesUs;
  if (!full && !due) return;
  forgotten_at_ = now;
  std::erase_if(series_, [&](const auto& entry) {
    const Series& series = entry.second;
    bool busy = series.waits || series.count > series.sent;
    return !busy && now - series.last > (full ? 0 : kForgottenUs);
  });
}

void EventBook::say(ClusterEvent event, TimeUs now) {
  forget_old(now);
  event.note = cut(std::move(event.note), kMostNoteBytes);
  SeriesKey key(event.subject, event.reason, event.note);
  auto found = series_.find(key);
  if (found != series_.end()) {
    Series& series = found->second;
    ++series.count;
    series.last = now;
    bool counts_already = series.count - series.sent > 1;
    if (series.sent > 0 && !series.waits && !counts_already) {
      counting_.emplace(std::pair(series.sent_at + kSeriesUs, ++tickets_), key);
    }
    return;
  }
  if (waiting_.size() >= options_.most_waiting || series_.size() >= options_.most_series) {
    ++dropped_;
    return;
  }
  Series series{.event = std::move(event), .first = now, .last = now};
  std::string words = series.event.reason + "\n" + series.event.note;
  uint64_t mark = static_cast<uint64_t>(now) ^ (std::hash<std::string>()(words) << 20U);
  series.name = series.event.subject.name.substr(0, kMostNamePrefix) + "." + hex_digits(mark);
  line_up(key, series_.emplace(key, std::move(series)).first->second);
}

void EventBook::wake_series(TimeUs now) {
  while (!counting_.empty() && counting_.begin()->first.first <= now) {
    SeriesKey key = std::move(counting_.begin()->second);
    counting_.erase(counting_.begin());
    auto found = series_.find(key);
    if (found != series_.end() && found->second.count > found->second.sent) {
      line_up(key, found->second);
    }
  }
}

ApiRequest EventBook::request_of(const Series& series) const {
  const ClusterEvent& event = series.event;
  std::string path = "/apis/events.k8s.io/v1/namespaces/" + space_of(event.subject) + "/events";
  Json counted = {{"count", series.count}, {"lastObservedTime", micro_time(series.last)}};
  if (series.sent > 0) {
    return {.method = "PATCH",
            .target = path + "/" + series.name,
            .body = one_line({{"series", counted}}),
            .content_type = kMergePatch};
  }
  Json regarding = {{"apiVersion", event.subject.api_version},
                    {"kind", event.subject.kind},
                    {"name", event.subject.name},
                    {"uid", event.subject.uid}};
  if (!event.subject.name_space.empty()) regarding["namespace"] = event.subject.name_space;
  Json body = {{"apiVersion", "events.k8s.io/v1"},
               {"kind", "Event"},
               {"metadata", {{"namespace", space_of(event.subject)}, {"name", series.name}}},
               {"eventTime", micro_time(series.first)},
               {"reportingController", kController},
               {"reportingInstance", options_.instance},
               {"action", event.action},
               {"reason", event.reason},
               {"regarding", regarding},
               {"note", event.note},
               {"type", event.type == EventType::Normal ? "Normal" : "Warning"}};
  // A series counts two at least.
  if (series.count > 1) body["series"] = counted;
  return {.method = "POST", .target = path, .body = one_line(body)};
}

std::optional<EventBook::Write> EventBook::next(TimeUs now) {
  wake_series(now);
  if (paused_until_ != kNoTime && now < paused_until_) return std::nullopt;
  if (waiting_.empty() || sent_.size() >= options_.most_sent || !bucket_.take(now)) {
    return std::nullopt;
  }
  SeriesKey key = std::move(waiting_.front());
  waiting_.pop_front();
  Series& series = series_.at(key);
  series.waits = false;
  Write write{.ticket = ++tickets_, .request = request_of(series)};
  series.sent = series.count;
  series.sent_at = now;
  sent_.emplace(write.ticket, std::move(key));
  return write;
}

// An event that the server did not accept is not sent again by itself, but when it occurs again.
void EventBook::done(Ticket ticket, const ApiAnswer& answer, TimeUs now) {
  auto found = sent_.find(ticket);
  if (found == sent_.end()) return;
  if (answer.retry_after_ms > 0) {
    paused_until_ = std::max(paused_until_, now + answer.retry_after_ms * (kSecondUs / 1000));
  }
  if (!answer.accepted()) {
    ++dropped_;
    auto series = series_.find(found->second);
    bool lost = series != series_.end() && !series->second.waits;
    if (lost && (answer.status == kNotFound || series->second.sent <= 1)) series_.erase(series);
  }
  sent_.erase(found);
}

void EventBook::clear() {
  series_.clear();
  waiting_.clear();
  sent_.clear();
  counting_.clear();
}

TimeUs EventBook::next_at(TimeUs now) {
  TimeUs at = kNoTime;
  if (!waiting_.empty() && sent_.size() < options_.most_sent) at = bucket_.next_at(now);
  if (at != kNoTime && paused_until_ != kNoTime) at = std::max(at, paused_until_);
  if (!counting_.empty()) {
    TimeUs due = counting_.begin()->first.first;
    at = at == kNoTime ? due : std::min(at, due);
  }
  return at;
}

}  // namespace trellis
