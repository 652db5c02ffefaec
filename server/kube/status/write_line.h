// Whose turn it is to be written: objects wait in line until there is a token for each, rest when a
// write came to nothing, and stand in it once, however often it is wished for.
//
// What is written is made when the turn comes, from the objects as they are by then: a newer wish
// takes the place of an older one, and a write that met another one (409) is made anew. Time comes
// in as an argument. Cost: O(log keys) a call.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "framework/time.h"
#include "server/kube/client/api_answer.h"
#include "server/kube/status/token_bucket.h"
#include "server/kube/status/write_key.h"

namespace trellis {

class WriteLine {
 public:
  struct Options {
    Rate rate;
    size_t most_sent = 8;  // that are on their way at a time
  };
  static constexpr TimeUs kFirstRestUs = kSecondUs / 2;
  static constexpr TimeUs kMostRestUs = 60 * kSecondUs;
  static constexpr TimeUs kLookAgainUs = kSecondUs / 4;

  explicit WriteLine(const Options& options) : options_(options), bucket_(options.rate) {}

  void wish(const WriteKey& key, TimeUs now);
  // nullopt: nobody's turn now. REQUIRES: one of the four below before the next one.
  std::optional<WriteKey> next(TimeUs now);
  void drop(const WriteKey& key);                 // there is nothing to write
  void put_off(const WriteKey& key, TimeUs now);  // something else must be seen first
  void sent(const WriteKey& key, TimeUs now);     // takes a token

  enum class Fate : uint8_t {
    Written,
    Gone,     // there is no such object any more
    Again,    // tried again after a rest
    Refused,  // it would be refused again
  };
  // What came of one that was sent.
  Fate done(const WriteKey& key, const ApiAnswer& answer, TimeUs now);

  // As if nothing had been wished for; what is on its way is no longer ours.
  void clear();
  // When to ask next() again; kNoTime: after the next wish or answer.
  TimeUs next_at(TimeUs now);
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    TimeUs due = 0;
    int64_t turn = 0;  // among those that are due at one time
    int failures = 0;
    bool on_its_way = false;
    bool wished_again = false;
  };
  using Place = std::tuple<TimeUs, int64_t, WriteKey>;
  void line_up(const WriteKey& key, Entry& entry, TimeUs due);
  void rest(const WriteKey& key, Entry& entry, const ApiAnswer& answer, TimeUs now);

  Options options_;
  TokenBucket bucket_;
  std::map<WriteKey, Entry> entries_;
  std::set<Place> line_;
  int64_t turns_ = 0;
  size_t on_their_way_ = 0;
  TimeUs paused_until_ = kNoTime;  // as the server asked for
};

}  // namespace trellis
