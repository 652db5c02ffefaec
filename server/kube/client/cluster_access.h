// The address of an API server and the identity to use there, as a kubeconfig or a pod's service
// account specifies them.
//
// Secrets are stored here, or come from a file or a program that is named here. They never appear
// in a message or in the log.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/result.h"
#include "server/kube/client/server_address.h"

namespace trellis {

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

}  // namespace trellis
