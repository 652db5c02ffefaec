#include "server/kube/client/cluster_access.h"

#include <charconv>
#include <string_view>

#include "server/system/whole_file.h"

namespace trellis {
namespace {

constexpr int kHttps = 443;
constexpr int kHttp = 80;
constexpr int kMostPort = 65535;

bool parse_port(std::string_view text, int& port) {
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failure == std::errc() && end == text.data() + text.size() && port > 0 &&
         port <= kMostPort;
}

bool parse_host(std::string_view text, ServerAddress& address) {
  std::string_view port;
  if (text.starts_with('[')) {
    size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    address.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    size_t colon = text.find(':');
    address.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  address.port = address.tls ? kHttps : kHttp;
  if (port.empty()) return !address.host.empty();
  return !address.host.empty() && port.front() == ':' && parse_port(port.substr(1), address.port);
}

}  // namespace

std::string ServerAddress::authority() const {
  bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<ServerAddress> parse_server_address(std::string_view url) {
  constexpr std::string_view kExpected = "a URL such as \"https://10.0.0.1:6443\"";
  ServerAddress address;
  if (url.starts_with("http://")) {
    address.tls = false;
  } else if (!url.starts_with("https://")) {
    return error("expected " + std::string(kExpected));
  }
  url.remove_prefix(address.tls ? 8 : 7);
  size_t slash = url.find('/');
  std::string_view host = url.substr(0, slash);
  if (slash != std::string_view::npos) address.prefix = url.substr(slash);
  while (address.prefix.ends_with('/')) address.prefix.pop_back();
  if (size_t at = host.rfind('@'); at != std::string_view::npos) {
    std::string_view login = host.substr(0, at);
    address.user = login.substr(0, login.find(':'));
    if (address.user.size() < login.size()) {
      address.password = login.substr(address.user.size() + 1);
    }
    host.remove_prefix(at + 1);
  }
  bool plain = address.prefix.find_first_of("?# ") == std::string::npos;
  if (!plain || !parse_host(host, address)) return error("expected " + std::string(kExpected));
  return address;
}

Result<std::string> GivenText::read() const {
  if (file.empty()) return text;
  Result<std::string> content = read_small_file(file);
  std::string found = content ? "nothing" : content.error().message;
  if (content && !content->empty()) return content;
  return error(file + ": found " + found + ", expected a file that can be read, with a text in it");
}

Result<ClusterAccess> in_cluster_access(const std::function<const char*(const char*)>& environment,
                                        const std::string& folder) {
  const char* host = environment("KUBERNETES_SERVICE_HOST");
  const char* port = environment("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr) {
    return error(
        "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, "
        "expected to run in a pod");
  }
  bool six = std::string_view(host).find(':') != std::string_view::npos;
  std::string url =
      "https://" + (six ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
  Result<ServerAddress> server = parse_server_address(url);
  if (!server) {
    return error("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: " + server.error().message);
  }
  ClusterAccess access;
  access.server = *server;
  access.context = "in-cluster";
  access.authority.file = folder + "/ca.crt";
  access.user.token.file = folder + "/token";
  for (const GivenText* needed : {&access.authority, &access.user.token}) {
    if (Result<std::string> text = needed->read(); !text) return error(text.error().message);
  }
  return access;
}

}  // namespace trellis
