// Who of several services leads, by a Lease that one of them holds at a time. A pure state machine:
// it returns what to ask the API server for next, takes the answer, and never waits itself.
//
// All times are those of one clock of this machine that never jumps. Another's hold is over when we
// have seen the very same record for as long as it is good for; what clocks the record names is
// for people alone. Our own is over kLeadMs after the *beginning* of the last request that renewed
// it, well before another may take it: every other elector saw it later than that.
//
// Guarantees: of all that follow these rules, with clocks that go equally fast within a third,
// never do two lead at one time, whatever is lost, late or paused. The lease changes hands only by
// a write that names the version it replaces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "framework/time.h"
#include "server/kube/client/api_answer.h"
#include "server/kube/client/api_request.h"
#include "server/kube/client/backoff.h"
#include "server/kube/lead/lease_record.h"

namespace trellis {

class Election {
 public:
  static constexpr int64_t kLeaseMs = 15'000;
  static constexpr int64_t kLeadMs = 10'000;
  // From one renewal to the next, and from one look to the next; at most so much more at random.
  static constexpr int64_t kRetryMs = 2'000;
  static constexpr int64_t kLookMs = 1'000;
  static constexpr int64_t kJitterMs = 300;
  // Two more may be tried before the lead is over.
  static constexpr int64_t kAnswerMs = 3'000;
  // After another's write came first.
  static constexpr int64_t kConflictMs = 200;

  struct Options {
    std::string name_space;
    std::string name;
    std::string identity;  // of this process alone
    uint64_t seed = 0;     // of waits
  };
  explicit Election(Options options) : options_(std::move(options)), random_(options_.seed) {}

  struct Step {
    enum class Do : uint8_t { Wait, Ask, End };
    Do what = Do::Wait;
    int64_t until_ms = 0;  // of Wait
    ApiRequest request;    // of Ask
  };
  // `wall`: what the record shows people.
  Step next(int64_t now_ms, TimeUs wall);
  void answered(int64_t now_ms, const ApiAnswer& answer);
  // From now on it leads no more, and only gives up what it holds: then `next` says End.
  void release();
  bool releasing() const { return releasing_; }

  // It leads before this time; of the past, or 0: it does not.
  int64_t leads_until_ms() const { return leads_until_ms_; }
  // Who holds the lease as far as is known; empty: no elector.
  std::string_view holder() const {
    return seen_ ? std::string_view(seen_->holder) : std::string_view();
  }
  int64_t failures() const { return failures_; }           // requests that came to nothing
  const std::string& failure() const { return failure_; }  // of the last one; empty: it was good

 private:
  enum class Asked : uint8_t { Look, Create, Take, Release };

  bool mine() const { return seen_ && seen_->holder == options_.identity; }
  bool may_take(int64_t now_ms) const;
  Asked choose() const;
  ApiRequest request(Asked asked, TimeUs wall) const;
  LeaseRecord taken(TimeUs wall) const;
  void see(int64_t now_ms, LeaseRecord record);
  void looked(int64_t now_ms, const ApiAnswer& answer);
  void wrote(int64_t now_ms, const ApiAnswer& answer);
  void wait(int64_t now_ms);

  Options options_;
  Backoff random_;
  std::optional<LeaseRecord> seen_;
  int64_t seen_ms_ = 0;  // when it was first seen as it is
  // What is known may be written to: the record, or that there is none, is of the last answer.
  bool fresh_ = false;
  Asked asked_ = Asked::Look;
  int64_t asked_ms_ = 0;
  int64_t not_before_ms_ = 0;
  int64_t leads_until_ms_ = 0;
  bool releasing_ = false;
  bool released_ = false;
  int64_t failures_ = 0;
  std::string failure_;
};

}  // namespace trellis
