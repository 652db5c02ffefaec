#include "server/kube/client/in_cluster.h"

#include <string_view>

namespace trellis {

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
