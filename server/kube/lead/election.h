// The election of a leader among several services, by a Lease that one of them holds at a time. A
// pure state machine: it returns the next request to the API server, takes the answer, and never
// waits itself.
//
// All times are those of one clock of this machine that never jumps. The hold of another elector is
// over when this one has seen its record unchanged for as long as the record is valid; the times in
// the record are for people alone. Our own lead is over kLeadMs after the *beginning* of the last
// request that renewed it, well before another elector may take the lease: every other elector saw
// the renewal later than that.
//
// Guarantees: of all electors that follow these rules, with clocks whose rates agree within a
// third, no two lead at the same time, whatever is lost, late or paused. The lease changes hands
// only by a write that names the version it replaces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "framework/time.h"
#include "server/kube/client/api_request.h"
#include "server/kube/client/backoff.h"
#include "server/kube/lead/lease.h"

namespace trellis {

class Election {
 public:
  static constexpr int64_t kLeaseMs = 15'000;
  static constexpr int64_t kLeadMs = 10'000;
  // The time from one renewal to the next, and from one look to the next; and the most that is
  // added to either at random.
  static constexpr int64_t kRetryMs = 2'000;
  static constexpr int64_t kLookMs = 1'000;
  static constexpr int64_t kJitterMs = 300;
  // The timeout of a request: two more can be tried before the lead is over.
  static constexpr int64_t kAnswerMs = 3'000;
  // The wait after another write came first, at most.
  static constexpr int64_t kConflictMs = 200;

  struct Options {
    std::string name_space;
    std::string name;
    std::string identity;  // unique to this process
    uint64_t seed = 0;     // for the random part of waits
  };
  explicit Election(Options options) : options_(std::move(options)), random_(options_.seed) {}

  struct Step {
    enum class Do : uint8_t { Wait, Ask, End };
    Do what = Do::Wait;
    int64_t until_ms = 0;  // of Wait
    ApiRequest request;    // of Ask
  };
  // `wall`: the time that the record shows to people.
  Step next(int64_t now_ms, TimeUs wall);
  void answered(int64_t now_ms, const ApiAnswer& answer);
  // Stops leading for good, and only gives up the lease; after that, `next` returns End.
  void release();
  bool releasing() const { return releasing_; }

  // This elector leads before this time; a time in the past, or 0: it does not lead.
  int64_t leads_until_ms() const { return leads_until_ms_; }
  // The holder of the lease, as far as is known; empty: no elector.
  std::string_view holder() const {
    return seen_ ? std::string_view(seen_->holder) : std::string_view();
  }
  int64_t failures() const { return failures_; }           // requests that failed
  const std::string& failure() const { return failure_; }  // of the last request; empty: none

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
  int64_t seen_ms_ = 0;  // when this version was first seen
  // Whether seen_ (empty: there is no record) is of the last answer and may be written.
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
