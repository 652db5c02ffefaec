// The address that a service listens on, as `--listen` specifies it, and the names that requests
// may use for it.
#pragma once

#include <string>
#include <string_view>

#include "framework/result.h"

namespace trellis {

struct ListenAddress {
  std::string address;  // IPv4 or IPv6, without brackets
  int port = 0;         // 0: any that is free

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// `127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:8080`; `:8080` and `localhost:8080` are loopback.
Result<ListenAddress> parse_listen(std::string_view text);

// `http://[::1]:8080`
std::string url_of(const ListenAddress& listen);

// Whether only programs on this machine can reach the address.
bool is_loopback(std::string_view address);

// Whether the Host header of a request is an address or localhost. It is neither in a request of a
// foreign page whose own name was pointed here (DNS rebinding).
bool is_local_name(std::string_view host_header);

}  // namespace trellis
