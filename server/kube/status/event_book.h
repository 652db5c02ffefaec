// The Events to be written to the cluster (events.k8s.io/v1). An event that occurs again for the
// same object, with the same reason and text, is counted in a series instead of written again.
//
// Guarantees: writes are limited to a rate; a series that goes on is written at most once a minute;
// when more events come than can be written, the newest are dropped and counted. Time comes in as
// an argument. Cost: O(log series) a call.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "framework/time.h"
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
    std::string instance;  // the reporter: this process among its replicas
    size_t most_waiting = 1000;
    size_t most_series = 10'000;
    size_t most_sent = 4;  // in flight at a time
  };
  static constexpr TimeUs kSeriesUs = 60 * kSecondUs;
  static constexpr TimeUs kForgottenUs = 3600 * kSecondUs;
  static constexpr size_t kMostNoteBytes = 1024;  // the server's limit

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
  // When to call next() again; kNoTime: after the next say() or done().
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
    int64_t sent = 0;          // of them; 0: the Event does not exist yet
    TimeUs sent_at = kNoTime;  // when it was last sent
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
  std::map<std::pair<TimeUs, Ticket>, SeriesKey> counting_;  // series to be written again, by when
  Ticket tickets_ = 0;
  TimeUs paused_until_ = kNoTime;
  TimeUs forgotten_at_ = kNoTime;
  int64_t dropped_ = 0;
};

}  // namespace trellis
