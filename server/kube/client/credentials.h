// The credentials that this program uses at the API server: files are read again, and programs are
// run again, before what they told grows old. Any thread may ask.
//
// Guarantees: a file that is gone, cannot be read, or no longer holds what it should (certificates
// that do not parse, a key of another certificate) leaves in force what it held before.
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
#include "server/kube/client/cluster_access.h"

namespace trellis {

class Credentials {
 public:
  // Service accounts' tokens live for an hour and are renewed well before.
  static constexpr TimeUs kReadAgainUs = 60 * kSecondUs;
  // A token that ends this soon is not used for a new request.
  static constexpr TimeUs kLeewayUs = 10 * kSecondUs;

  // `now` gives the wall clock's time. `complain` takes what keeps a file's former text in force,
  // once for as long as it does; empty: not asked for.
  Credentials(ClusterAccess access, std::function<TimeUs()> now,
              std::function<void(const std::string& what)> complain = {})
      : access_(std::move(access)), now_(std::move(now)), complain_(std::move(complain)) {}

  struct Current {
    std::string token;        // empty: none
    std::string certificate;  // PEM; empty: none
    std::string key;
    std::string authority;   // PEM, of the server; empty: what the system trusts
    int64_t generation = 0;  // another one: connections with the certificates before are no good
  };
  Result<Current> current();
  // The server refused what had this token (401): it is read again before it is used again.
  void refused(const std::string& token);

  const ClusterAccess& access() const { return access_; }

 private:
  std::optional<Error> tell(Current& told);
  std::optional<Error> take(const GivenText& given, std::string& to);
  void keep_certificates_that_work(Current& told);
  void report_faults();
  std::optional<Error> run_plugin(Current& told);

  const ClusterAccess access_;
  std::function<TimeUs()> now_;
  std::function<void(const std::string&)> complain_;
  std::mutex mutex_;
  std::optional<Current> current_;
  TimeUs told_at_ = 0;
  TimeUs good_until_ = 0;
  std::optional<TimeUs> expires_;  // of a program's answer
  std::string faults_;             // of files whose former text is in force
  std::string reported_faults_;
};

}  // namespace trellis
