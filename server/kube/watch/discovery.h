// The kinds to read that an API server serves, with their versions and paths.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "framework/result.h"
#include "server/document/diagnostic.h"
#include "server/kube/client/api_request.h"
#include "server/kube/watch/api_objects.h"
#include "server/objects/kinds.h"

namespace trellis {

struct ServedKind {
  const Kind* kind = nullptr;
  std::string version;
  std::string resource;     // its plural, "pods"
  bool has_status = false;  // its status is written apart from the rest

  std::string path() const;  // "/apis/scheduling.run.ai/v2/queues"
  // The path in one namespace; for a kind without namespaces: path().
  std::string path_in(std::string_view name_space) const;
  std::string name() const;  // "queues.scheduling.run.ai", for people
  ApiKind api_kind() const;
  bool operator==(const ServedKind&) const = default;
};

// A kind that is served, but in no version that is read.
struct UnknownVersions {
  const Kind* kind = nullptr;
  std::vector<std::string> versions;  // that are served; sorted

  std::string name() const;  // "PodGroup.scheduling.k8s.io"
  bool operator==(const UnknownVersions&) const = default;
};

// A warning that nothing is read of this kind.
Diagnostic to_diagnostic(const UnknownVersions& unknown);

struct Discovered {
  std::vector<ServedKind> served;
  std::vector<UnknownVersions> unknown;
};

// Sends a GET request for a path to the server.
using ApiGet = std::function<ApiAnswer(const std::string& path)>;

// In the order of `known_kinds`; of each kind the version that is read best. An absent kind is no
// error; a server that gives no answer is. Cost: two requests, and one for each group version of a
// group that has kinds to read.
Result<Discovered> discover(const ApiGet& get);

// The Kubernetes version of an API server.
struct ServerVersion {
  int64_t major = 0;
  int64_t minor = 0;
  auto operator<=>(const ServerVersion&) const = default;
};

// Cost: one request. A vendor's suffix ("34+") is left out.
Result<ServerVersion> read_server_version(const ApiGet& get);

// Whether a server of this version copies the labels of a Binding to its pod, as it copies
// annotations (its feature PodTopologyLabelsAdmission, which is on from 1.35).
bool copies_labels_of_binds(const ServerVersion& version);

}  // namespace trellis
