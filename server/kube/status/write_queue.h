// A rate-limited, de-duplicating queue of writes, keyed by object.
//
// Words: a key is *queued* until next() hands it out, then *in flight* from sent() to done(). A key
// that is added while it is in flight is queued again afterwards.
// Guarantees: a key is queued once, however often it is added. The caller builds the write when
// next() hands out the key, so that it is about the newest state; a write that failed is queued
// again after a backoff that doubles (kFirstBackoffUs to kMostBackoffUs). Time comes in as an
// argument. Cost: O(log keys) a call.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "framework/time.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/token_bucket.h"

namespace trellis {

// An object, and the part of it that one write changes.
enum class WritePart : uint8_t {
  Metadata,  // annotations
  Status,
  Start,  // what lets the object's pods run, or prevents it
};

// `group` and `kind`: as in the object's apiVersion and kind.
struct WriteKey {
  std::string group;
  std::string kind;
  std::string name_space;
  std::string name;
  WritePart part = WritePart::Status;
  auto operator<=>(const WriteKey&) const = default;
};

class WriteQueue {
 public:
  struct Options {
    Rate rate;
    size_t most_in_flight = 8;
  };
  static constexpr TimeUs kFirstBackoffUs = kSecondUs / 2;
  static constexpr TimeUs kMostBackoffUs = 60 * kSecondUs;
  static constexpr TimeUs kDelayUs = kSecondUs / 4;  // until the watch has shown the last write

  explicit WriteQueue(const Options& options) : options_(options), bucket_(options.rate) {}

  void add(const WriteKey& key, TimeUs now);
  // The key that is due, taken out of the queue; nullopt: none is due, or no token is left.
  // REQUIRES: drop(), delay() or sent() for this key before the next call.
  std::optional<WriteKey> next(TimeUs now);
  void drop(const WriteKey& key);               // there is nothing to write
  void delay(const WriteKey& key, TimeUs now);  // the watch must show something else first
  void sent(const WriteKey& key, TimeUs now);   // takes a token

  enum class Fate : uint8_t {
    Written,
    Gone,     // there is no such object any more
    Again,    // queued again after a backoff
    Refused,  // the server would refuse the same write again
  };
  // The answer to a key in flight.
  Fate done(const WriteKey& key, const ApiAnswer& answer, TimeUs now);

  // Drops every key; answers to those in flight are ignored.
  void clear();
  // When to call next() again; kNoTime: after the next add() or done().
  TimeUs next_at(TimeUs now);
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    TimeUs due = 0;
    int64_t turn = 0;  // order among keys that are due at one time
    int failures = 0;
    bool in_flight = false;
    bool added_again = false;  // while it was in flight
  };
  using Place = std::tuple<TimeUs, int64_t, WriteKey>;
  void queue(const WriteKey& key, Entry& entry, TimeUs due);
  void back_off(const WriteKey& key, Entry& entry, const ApiAnswer& answer, TimeUs now);

  Options options_;
  TokenBucket bucket_;
  std::map<WriteKey, Entry> entries_;
  std::set<Place> queue_;
  int64_t turns_ = 0;
  size_t in_flight_ = 0;
  TimeUs paused_until_ = kNoTime;  // by a Retry-After of the server
};

}  // namespace trellis
