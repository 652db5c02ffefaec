// The address of an API server and the identity to use there, as a kubeconfig or a pod's service
// account specifies them.
//
// Secrets are stored here, or come from a file or a program that is named here. They never appear
// in a message or in the log.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/result.h"

namespace trellis {

// The address of an API server: the parts of a URL such as
// "https://[fd00::1]:6443/k8s/clusters/c-1".
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

// A text that is given directly, or by a file, which may change while the service runs.
struct GivenText {
  std::string text;
  std::string file;  // empty: `text` is used

  bool given() const { return !text.empty() || !file.empty(); }
  // An error names the file, and never quotes its content.
  Result<std::string> read() const;
};

// A program that prints the credentials.
struct ExecCommand {
  std::string api_version;  // client.authentication.k8s.io/v1 or v1beta1
  std::string command;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's own
  std::string install_hint;
  bool provide_cluster_info = false;
};

// The identity to use. Where several are given the server decides, but `token` is used instead of
// `exec`.
struct UserAccess {
  GivenText token;
  GivenText certificate;  // PEM, with its chain
  GivenText key;          // PEM
  std::string user;       // of basic authentication
  std::string password;
  std::string impersonate;
  std::vector<std::string> impersonate_groups;
  std::optional<ExecCommand> exec;
};

struct ClusterAccess {
  ServerAddress server;
  GivenText authority;          // PEM; not given: the system's authorities
  std::string tls_server_name;  // expected in the server's certificate; empty: the host
  bool verify = true;           // false only when the kubeconfig says so
  std::optional<ServerAddress> proxy;
  UserAccess user;
  std::string context;  // for the log
};

inline constexpr const char* kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// The API server and the account of the pod that this program runs in. `environment` returns a
// variable's value; nullptr: unset. The result refers to the files of the token and of the
// authority, because both are renewed while the pod runs.
Result<ClusterAccess> in_cluster_access(const std::function<const char*(const char*)>& environment,
                                        const std::string& folder = kServiceAccountFolder);

}  // namespace trellis
