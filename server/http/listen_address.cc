#include "server/http/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>

#include "framework/ascii.h"

namespace trellis {
namespace {

std::optional<in_addr> ipv4(const std::string& address) {
  in_addr parsed{};
  if (inet_pton(AF_INET, address.c_str(), &parsed) != 1) return std::nullopt;
  return parsed;
}

std::optional<in6_addr> ipv6(const std::string& address) {
  in6_addr parsed{};
  if (inet_pton(AF_INET6, address.c_str(), &parsed) != 1) return std::nullopt;
  return parsed;
}

std::optional<int> port_of(std::string_view text) {
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  auto [stop, failure] = std::from_chars(text.data(), end, port);
  if (failure != std::errc() || stop != end || text.empty()) return std::nullopt;
  return port;
}

struct NameAndPort {
  std::string name;  // without brackets
  bool bracketed = false;
  std::string_view port;
  bool has_port = false;
};

std::optional<NameAndPort> split(std::string_view text) {
  NameAndPort parts;
  std::string_view rest;
  if (text.starts_with('[')) {
    size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    parts.name = text.substr(1, end - 1);
    parts.bracketed = true;
    rest = text.substr(end + 1);
    if (!rest.empty() && rest.front() != ':') return std::nullopt;
  } else {
    size_t colon = text.find(':');
    parts.name = text.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
  }
  parts.has_port = !rest.empty();
  if (parts.has_port) parts.port = rest.substr(1);
  return parts;
}

}  // namespace

Result<ListenAddress> parse_listen(std::string_view text) {
  auto wrong = [&] {
    return error("\"" + std::string(text) +
                 "\": expected ADDRESS:PORT, for example 127.0.0.1:8080, [::1]:8080, or :8080");
  };
  std::optional<NameAndPort> parts = split(text);
  if (!parts || !parts->has_port) return wrong();
  std::optional<int> port = port_of(parts->port);
  if (!port) return wrong();
  std::string address = parts->name;
  if (!parts->bracketed && (address.empty() || lower(address) == "localhost")) {
    address = "127.0.0.1";
  }
  bool valid = parts->bracketed ? ipv6(address).has_value() : ipv4(address).has_value();
  if (!valid) return wrong();
  return ListenAddress{.address = std::move(address), .port = *port};
}

std::string url_of(const ListenAddress& listen) {
  bool six = listen.address.find(':') != std::string::npos;
  std::string name = six ? "[" + listen.address + "]" : listen.address;
  return "http://" + name + ":" + std::to_string(listen.port);
}

bool is_loopback(std::string_view address) {
  std::string text(address);
  if (auto four = ipv4(text)) return (ntohl(four->s_addr) >> 24) == 127;
  std::optional<in6_addr> six = ipv6(text);
  return six && IN6_IS_ADDR_LOOPBACK(&*six) != 0;
}

bool is_local_name(std::string_view host_header) {
  std::optional<NameAndPort> parts = split(host_header);
  if (!parts || (parts->has_port && !parts->port.empty() && !port_of(parts->port))) return false;
  if (parts->bracketed) return ipv6(parts->name).has_value();
  return ipv4(parts->name).has_value() || lower(parts->name) == "localhost";
}

}  // namespace trellis
