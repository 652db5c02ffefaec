#include "server/kube/lead/election.h"

#include <algorithm>

#include "server/document/timestamp.h"

namespace trellis {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/";
// No elector writes a longer duration: a record that has one is no reason to wait for ever.
constexpr int64_t kMostLeaseMs = 3'600'000;

// How long the hold of another elector is valid.
int64_t good_for_ms(const LeaseRecord& record) {
  if (record.duration_s == 0) return Election::kLeaseMs;
  return std::min(record.duration_s, kMostLeaseMs / kSecondMs) * kSecondMs;
}

}  // namespace

// Whether this elector may write: the lease is absent, its own, given up, or expired.
bool Election::may_take(int64_t now_ms) const {
  if (!seen_ || mine() || seen_->holder.empty()) return true;
  return now_ms - seen_ms_ >= good_for_ms(*seen_);
}

Election::Asked Election::choose() const {
  if (!fresh_) return Asked::Look;
  if (releasing_) return Asked::Release;
  return seen_ ? Asked::Take : Asked::Create;
}

LeaseRecord Election::taken(TimeUs wall) const {
  LeaseRecord record = seen_.value_or(LeaseRecord());
  bool other = record.holder != options_.identity;
  if (other && seen_) ++record.transitions;
  record.renewed = micro_time(wall);
  if (other) record.acquired = record.renewed;
  record.holder = options_.identity;
  record.duration_s = kLeaseMs / kSecondMs;
  return record;
}

ApiRequest Election::request(Asked asked, TimeUs wall) const {
  std::string all = std::string(kLeases) + options_.name_space + "/leases";
  ApiRequest request{.target = all + "/" + options_.name, .body = {}};
  if (asked == Asked::Look) return request;
  LeaseRecord record = taken(wall);
  if (asked == Asked::Release) {
    record.holder.clear();
    record.duration_s = 1;
  }
  request.body = lease_json(record, options_.name_space, options_.name);
  request.method = asked == Asked::Create ? "POST" : "PUT";
  if (asked == Asked::Create) request.target = all;
  return request;
}

Election::Step Election::next(int64_t now_ms, TimeUs wall) {
  Step step;
  if (released_) {
    step.what = Step::Do::End;
  } else if (now_ms < not_before_ms_) {
    step.until_ms = not_before_ms_;
  } else {
    asked_ = choose();
    asked_ms_ = now_ms;
    step.what = Step::Do::Ask;
    step.request = request(asked_, wall);
  }
  return step;
}

void Election::see(int64_t now_ms, LeaseRecord record) {
  if (seen_ == record) return;
  seen_ = std::move(record);
  seen_ms_ = now_ms;
  if (!mine()) leads_until_ms_ = 0;
}

// Counts from when the last request was made: a slow answer is followed by a request at once.
void Election::wait(int64_t now_ms) {
  not_before_ms_ = asked_ms_ + (mine() ? kRetryMs : kLookMs) + random_.below(kJitterMs + 1);
  if (!seen_ || mine()) return;
  int64_t over_ms = seen_ms_ + good_for_ms(*seen_);
  if (over_ms > now_ms) not_before_ms_ = std::min(not_before_ms_, over_ms);
}

void Election::looked(int64_t now_ms, const ApiAnswer& answer) {
  if (answer.status == kNotFound && answer.whole()) {
    leads_until_ms_ = 0;
    released_ = releasing_;
    // The lease was removed, and its holder may not have noticed yet.
    if (!may_take(now_ms)) return wait(now_ms);
    seen_.reset();
    fresh_ = true;
    return;
  }
  Result<LeaseRecord> record =
      answer.ok() ? parse_lease(answer.body) : error("look: " + describe(answer));
  if (!record) {
    failure_ = record.error().message;
    return wait(now_ms);
  }
  see(now_ms, std::move(*record));
  fresh_ = may_take(now_ms);
  released_ = releasing_ && !mine();
  if (!fresh_) wait(now_ms);
}

void Election::wrote(int64_t now_ms, const ApiAnswer& answer) {
  if (answer.whole() && (answer.status == kConflict || answer.status == kNotFound)) {
    // Another write came first: the holder in its record shows whether we lead.
    not_before_ms_ = now_ms + random_.below(kConflictMs);
    return;
  }
  if (!answer.accepted()) {
    // Whether it was written is not known: the next read shows it.
    failure_ = "write: " + describe(answer);
    return wait(now_ms);
  }
  if (asked_ == Asked::Release) {
    released_ = true;
    return;
  }
  leads_until_ms_ = asked_ms_ + kLeadMs;
  Result<LeaseRecord> record =
      answer.whole() ? parse_lease(answer.body) : error("write: " + answer.failure);
  if (record) {
    see(now_ms, std::move(*record));
    fresh_ = mine();
  } else {
    failure_ = record.error().message;
  }
  wait(now_ms);
}

void Election::answered(int64_t now_ms, const ApiAnswer& answer) {
  failure_.clear();
  fresh_ = false;
  not_before_ms_ = now_ms;
  if (asked_ == Asked::Look) {
    looked(now_ms, answer);
  } else {
    wrote(now_ms, answer);
  }
  if (!failure_.empty()) ++failures_;
}

void Election::release() {
  if (releasing_) return;
  releasing_ = true;
  // Only if the last request was a write can we be the holder without having seen it.
  released_ = !mine() && asked_ == Asked::Look;
  leads_until_ms_ = 0;
  not_before_ms_ = 0;
}

}  // namespace trellis
