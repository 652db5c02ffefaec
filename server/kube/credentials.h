// As whom this program speaks to the API server just now: files are read again, and programs are
// run again, before what they told grows old. Any thread may ask.
//
// Cost: a copy; once a minute the files, and a program's run when its answer expires.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "framework/result.h"
#include "framework/time.h"
#include "server/kube/cluster_access.h"

namespace trellis {

class Credentials {
 public:
  // Service accounts' tokens live for an hour and are renewed well before.
  static constexpr TimeUs kReadAgainUs = 60 * kSecondUs;
  // A token that ends this soon is not used for a new request.
  static constexpr TimeUs kLeewayUs = 10 * kSecondUs;

  // `now` gives the wall clock's time.
  Credentials(ClusterAccess access, std::function<TimeUs()> now)
      : access_(std::move(access)), now_(std::move(now)) {}

  struct Current {
    std::string token;        // empty: none
    std::string certificate;  // PEM; empty: none
    std::string key;
    std::string authority;   // PEM, of the server; empty: what the system trusts
    int64_t generation = 0;  // another one: connections with the certificates before are no good
  };
  Result<Current> current();
  // The server refused what had this token (401): it is told anew before it is used again.
  void refused(const std::string& token);

  const ClusterAccess& access() const { return access_; }

 private:
  std::optional<Error> tell(Current& told);
  std::optional<Error> run_plugin(Current& told);

  const ClusterAccess access_;
  std::function<TimeUs()> now_;
  std::mutex mutex_;
  std::optional<Current> current_;
  TimeUs told_at_ = 0;
  TimeUs good_until_ = 0;
  std::optional<TimeUs> expires_;  // of a program's answer
};

}  // namespace trellis
