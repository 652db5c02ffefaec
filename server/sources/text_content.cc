#include "server/sources/text_content.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "server/document/timestamp.h"

namespace trellis {
namespace {

// Kinds whose status is not read, although it changes all the time.
constexpr std::array<std::string_view, 9> kStatusUnread = {
    "Queue",      "ClusterQueue", "LocalQueue", "Cohort",   "PodGroup",
    "ReplicaSet", "Deployment",   "DaemonSet",  "Namespace"};

constexpr std::array<std::string_view, 3> kMetaUnread = {"resourceVersion", "generation",
                                                         "managedFields"};

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Sums do not depend on the order of members.
uint64_t member_hash(std::string_view key, uint64_t value) {
  return XXH3_64bits_withSeed(key.data(), key.size(), value);
}

// The values of a condition's times are not read, but a malformed time is an error of the Node.
bool has_right_times(Value condition) {
  for (std::string_view key : {"lastTransitionTime", "lastHeartbeatTime"}) {
    Value time = condition[key];
    bool right = time.absent() || (time.is(ValueKind::String) && parse_timestamp(time.text()));
    if (!right) return false;
  }
  return true;
}

// The last condition of a type counts, so the order counts.
uint64_t conditions_hash(Value conditions) {
  uint64_t hash = 0;
  for (Value condition : conditions.items()) {
    std::array<uint64_t, 3> parts = {hash, content_hash(condition["status"]),
                                     has_right_times(condition) ? 0U : 1U};
    std::string_view type = condition["type"].text();
    hash = XXH3_64bits_withSeed(type.data(), type.size(), XXH3_64bits(parts.data(), sizeof parts));
  }
  return hash;
}

// Leaves out the heartbeats of the kubelet and the node's images.
uint64_t node_status_hash(Value status) {
  if (!status.is(ValueKind::Object)) return content_hash(status);
  uint64_t hash = 0;
  for (Value::Member member : status.members()) {
    if (member.key == "images") continue;
    bool conditions = member.key == "conditions" && member.value.is(ValueKind::Array);
    hash += member_hash(member.key,
                        conditions ? conditions_hash(member.value) : content_hash(member.value));
  }
  return hash;
}

uint64_t metadata_hash(Value metadata) {
  if (!metadata.is(ValueKind::Object)) return content_hash(metadata);
  uint64_t hash = 0;
  for (Value::Member member : metadata.members()) {
    if (is_one_of(kMetaUnread, member.key)) continue;
    hash += member_hash(member.key, content_hash(member.value));
  }
  return hash;
}

uint64_t read_hash(Value object) {
  std::string_view kind = object["kind"].text();
  uint64_t hash = 0;
  for (Value::Member member : object.members()) {
    if (member.key == "status" && is_one_of(kStatusUnread, kind)) continue;
    if (member.key == "status" && kind == "Node") {
      hash += member_hash(member.key, node_status_hash(member.value));
    } else if (member.key == "metadata") {
      hash += member_hash(member.key, metadata_hash(member.value));
    } else {
      hash += member_hash(member.key, content_hash(member.value));
    }
  }
  return hash;
}

}  // namespace

uint64_t content_of(Value object, std::string_view text) {
  return object.exists() ? read_hash(object) : XXH3_64bits(text.data(), text.size());
}

}  // namespace trellis
