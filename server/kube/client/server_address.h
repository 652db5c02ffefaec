// Where an API server is: the parts of a URL such as "https://[fd00::1]:6443/k8s/clusters/c-1".
#pragma once

#include <string>
#include <string_view>

#include "framework/result.h"

namespace trellis {

struct ServerAddress {
  bool tls = true;
  std::string host;  // IPv6 without brackets
  int port = 0;
  std::string prefix;  // of every path; without a slash at the end
  std::string user;    // of "USER:PASSWORD@", which only a proxy's may have
  std::string password;

  // "[fd00::1]:6443", as in a Host header. Never what is secret.
  std::string authority() const;
};

// What it complains of never quotes `url`, which may hold a password.
Result<ServerAddress> parse_server_address(std::string_view url);

}  // namespace trellis
