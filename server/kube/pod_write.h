// What shall become of one pod in a live cluster, and how the API server is asked for it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/result.h"
#include "server/kube/api_request.h"
#include "server/kube/bind_policy.h"

namespace trellis {

struct PodWrite {
  enum class Kind : uint8_t { Bind, Evict } kind = Kind::Bind;
  std::string name_space;
  std::string name;
  std::string uid;
  std::string node;  // of Bind
  std::string gang;  // "NAMESPACE/NAME"
  // What is written to the pod with its bind.
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::pair<std::string, std::string>> annotations;
};

// What became of it, for the log and for Events.
struct PodEvent {
  enum class What : uint8_t { Bound, BindFailed, Evicted, EvictionFailed } what = What::Bound;
  PodWrite write;
  std::string why;  // of failures
};

ApiRequest write_request(const PodWrite& order, Removal removal);
ApiRequest read_request(const PodWrite& order);

// What the API server says of a pod.
struct PodReply {
  std::string uid;
  std::string node;
  bool leaving = false;
};
Result<PodReply> read_pod_reply(const std::string& body);

}  // namespace trellis
