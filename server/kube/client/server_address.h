// The address of an API server: the parts of a URL such as
// "https://[fd00::1]:6443/k8s/clusters/c-1".
#pragma once

#include <string>
#include <string_view>

#include "framework/result.h"

namespace trellis {

struct ServerAddress {
  bool tls = true;
  std::string host;  // IPv6 without brackets
  int port = 0;
  std::string prefix;  // in front of every path; without a slash at the end
  std::string user;    // of "USER:PASSWORD@", which only a proxy's URL may have
  std::string password;

  // "[fd00::1]:6443", as in a Host header. Never contains the user or the password.
  std::string authority() const;
};

// Error messages never quote `url`, which may contain a password.
Result<ServerAddress> parse_server_address(std::string_view url);

}  // namespace trellis
