// A program that prints the credentials of a user (client-go's exec credential plugins).
#pragma once

#include <chrono>
#include <string>

#include "framework/result.h"
#include "framework/time.h"
#include "server/kube/client/cluster_access.h"

namespace trellis {

struct ExecCredential {
  std::string token;
  std::string certificate;  // PEM
  std::string key;          // PEM
  TimeUs expires = kNoTime;
};

// Runs the program without a terminal and parses its output; kills it when `patience` is over. An
// error message contains what the program wrote to stderr, never what it wrote to stdout.
Result<ExecCredential> run_exec_plugin(const ExecCommand& command, const ClusterAccess& access,
                                       std::chrono::milliseconds patience);

// Parses what the program wrote to stdout.
Result<ExecCredential> parse_exec_credential(const std::string& text,
                                             const std::string& api_version);

}  // namespace trellis
