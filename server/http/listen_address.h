// Where a service listens, as `--listen` says it, and who may ask for it by which name.
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

// Only programs on this machine can reach it.
bool is_loopback(std::string_view address);

// Whether a request with this Host header was addressed by address or as localhost. A page from
// elsewhere that had its own name point here (DNS rebinding) was not.
bool is_local_name(std::string_view host_header);

}  // namespace trellis
