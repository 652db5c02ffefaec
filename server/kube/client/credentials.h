// The current credentials of this program at the API server. Files are read again, and programs are
// run again, before their result expires. Any thread may call.
//
// Guarantees: when a file is gone, cannot be read, or no longer contains what it should
// (certificates that do not parse, a key of another certificate), its former content stays in use.
//
// Cost: a copy; once a minute the files, and a run of the program when its result expires.
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
  // Tokens of service accounts are valid for an hour and are renewed well before they expire.
  static constexpr TimeUs kReadAgainUs = 60 * kSecondUs;
  // A token that ends this soon is not used for a new request.
  static constexpr TimeUs kLeewayUs = 10 * kSecondUs;

  // `now` returns the wall clock's time. `complain` receives the fault that keeps a file's former
  // text in use, once for as long as the fault lasts; may be empty.
  Credentials(ClusterAccess access, std::function<TimeUs()> now,
              std::function<void(const std::string& what)> complain = {})
      : access_(std::move(access)), now_(std::move(now)), complain_(std::move(complain)) {}

  struct Current {
    std::string token;        // empty: none
    std::string certificate;  // PEM; empty: none
    std::string key;
    std::string authority;   // PEM, of the server; empty: the system's authorities
    int64_t generation = 0;  // grows with new certificates: connections with former ones are stale
  };
  Result<Current> current();
  // The server refused this token (401): credentials are read again before their next use.
  void refused(const std::string& token);

  const ClusterAccess& access() const { return access_; }

 private:
  std::optional<Error> read_sources(Current& fresh);
  std::optional<Error> take(const GivenText& given, std::string& to);
  void keep_certificates_that_work(Current& fresh);
  void report_faults();
  std::optional<Error> run_plugin(Current& fresh);

  const ClusterAccess access_;
  std::function<TimeUs()> now_;
  std::function<void(const std::string&)> complain_;
  std::mutex mutex_;
  std::optional<Current> current_;
  TimeUs read_at_ = 0;
  TimeUs good_until_ = 0;
  std::optional<TimeUs> expires_;  // of a program's answer
  std::string faults_;             // of files whose former text is in use
  std::string reported_faults_;
};

}  // namespace trellis
