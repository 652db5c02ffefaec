// Events to be told to the cluster (events.k8s.io/v1): what is said again of the same object, for
// the same reason and in the same words, is counted in a series instead of told again.
//
// Guarantees: at most a rate of writes; a series that goes on is written at most once a minute;
// when more is said than can be written, the newest that wait are dropped and counted. Time comes
// in as an argument. Cost: O(log series) a call.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "framework/time.h"
#include "server/kube/client/api_answer.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/token_bucket.h"

namespace trellis {

enum class EventType : uint8_t { Normal, Warning };

struct EventSubject {
  std::string api_version;  // "v1"
  std::string kind;
  std::string name_space;
  std::string name;
  std::string uid;
  auto operator<=>(const EventSubject&) const = default;
};

struct ClusterEvent {
  EventSubject subject;
  EventType type = EventType::Normal;
  std::string reason;  // one word
  std::string action;  // one word
  std::string note;    // a sentence
};

class EventBook {
 public:
  struct Options {
    Rate rate;
    std::string instance;  // who says so: this process among its like
    size_t most_waiting = 1000;
    size_t most_series = 10'000;
    size_t most_sent = 4;  // that are on their way at a time
  };
  static constexpr TimeUs kSeriesUs = 60 * kSecondUs;
  static constexpr TimeUs kForgottenUs = 3600 * kSecondUs;
  static constexpr size_t kMostNoteBytes = 1024;  // the server's own bound

  explicit EventBook(Options options);

  void say(ClusterEvent event, TimeUs now);

  using Ticket = int64_t;
  struct Write {
    Ticket ticket = 0;
    ApiRequest request;
  };
  // nullopt: nothing to write now.
  std::optional<Write> next(TimeUs now);
  void done(Ticket ticket, const ApiAnswer& answer, TimeUs now);

  void clear();
  // When to ask next() again; kNoTime: after the next say() or done().
  TimeUs next_at(TimeUs now);
  int64_t dropped() const { return dropped_; }
  size_t waiting() const { return waiting_.size(); }

 private:
  using SeriesKey = std::tuple<EventSubject, std::string, std::string>;  // reason, note
  struct Series {
    ClusterEvent event;
    std::string name;
    TimeUs first = 0;
    TimeUs last = 0;
    int64_t count = 1;
    int64_t told = 0;          // of them; 0: the event has not been made yet
    TimeUs told_at = kNoTime;  // when it was last sent
    bool waits = false;
  };
  void line_up(const SeriesKey& key, Series& series);
  void forget_old(TimeUs now);
  ApiRequest request_of(const Series& series) const;
  void wake_series(TimeUs now);

  Options options_;
  TokenBucket bucket_;
  std::map<SeriesKey, Series> series_;
  std::deque<SeriesKey> waiting_;
  std::map<Ticket, SeriesKey> sent_;
  std::map<std::pair<TimeUs, Ticket>, SeriesKey> counting_;  // series to be told again, by when
  Ticket tickets_ = 0;
  TimeUs paused_until_ = kNoTime;
  TimeUs forgotten_at_ = kNoTime;
  int64_t dropped_ = 0;
};

}  // namespace trellis
