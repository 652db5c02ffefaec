// How to reach an API server, and as whom: what a kubeconfig or a pod's service account says.
//
// Secrets are held here, or are told by a file or a program that is named here. They never stand in
// a message or in the log.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/result.h"
#include "server/kube/client/server_address.h"

namespace trellis {

// A text that is given here, or stands in a file, which may change while the service runs.
struct GivenText {
  std::string text;
  std::string file;  // empty: `text` is it

  bool given() const { return !text.empty() || !file.empty(); }
  // A message names the file, never what it holds.
  Result<std::string> read() const;
};

// A program that prints the credentials.
struct ExecCommand {
  std::string api_version;  // client.authentication.k8s.io/v1 or v1beta1
  std::string command;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // besides the own one
  std::string install_hint;
  bool provide_cluster_info = false;
};

// As whom; where several are given the server decides, but `token` comes after `exec`.
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
  GivenText authority;          // PEM; not given: what the system trusts
  std::string tls_server_name;  // expected in the server's certificate; empty: the host
  bool verify = true;           // false only when the kubeconfig says so
  std::optional<ServerAddress> proxy;
  UserAccess user;
  std::string context;  // for the log
};

}  // namespace trellis
