#include "server/view/claim_output.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "server/devices/allocation_output.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

using GrantJson = nlohmann::json;

// The claim that is made for a pod's extended resources.
constexpr std::string_view kExtendedClaim = "<extended-resources>";

// Passes the values of a JSON text on, in their order.
class JsonPasser : public nlohmann::json_sax<GrantJson> {
 public:
  explicit JsonPasser(DocumentWriter& out) : out_(out) {}

  bool null() override { return out_.text(""), true; }
  bool boolean(bool value) override { return out_.boolean(value), true; }
  bool number_integer(number_integer_t value) override { return out_.integer(value), true; }
  bool number_unsigned(number_unsigned_t value) override {
    return out_.integer(static_cast<int64_t>(value)), true;
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return out_.real(value), true;
  }
  bool string(string_t& value) override { return out_.text(value), true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(size_t /*size*/) override { return out_.begin_object(), true; }
  bool key(string_t& value) override { return out_.key(value), true; }
  bool end_object() override { return out_.end_object(), true; }
  bool start_array(size_t /*size*/) override { return out_.begin_array(), true; }
  bool end_array() override { return out_.end_array(), true; }
  bool parse_error(size_t /*at*/, const std::string& /*token*/,
                   const GrantJson::exception& /*error*/) override {
    return false;
  }

 private:
  DocumentWriter& out_;
};

struct Claimed {
  const DeviceGrant* grant = nullptr;
  std::vector<PodId> pods;  // that are bound, by name
};

class ClaimsWriter {
 public:
  ClaimsWriter(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record)
      : out_(out), cluster_(cluster), record_(record) {
    for (PodId pod : bound_pods()) {
      for (const DeviceGrant& grant : record.pods[pod].details().devices) {
        Claimed& claimed = claims_[key_of(pod, grant)];
        claimed.grant = &grant;
        claimed.pods.push_back(pod);
      }
    }
  }

  void write() {
    if (claims_.empty()) return;
    out_.begin_array("claims");
    for (const auto& [key, claimed] : claims_) write_claim(key, claimed);
    out_.end_array();
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // namespace, name, pod

  std::string_view view(StrId id) const { return cluster_.vocabulary().strings.view(id); }

  std::vector<PodId> bound_pods() const {
    std::vector<PodId> pods;
    for (const Decision& decision : record_.decisions) {
      bool bound = decision.kind == Decision::Kind::Bind &&
                   !record_.pods[decision.pod].details().devices.empty();
      if (bound) pods.push_back(decision.pod);
    }
    std::ranges::sort(pods, {}, [&](PodId id) {
      const Pod& pod = cluster_.pods()[id].pod;
      return std::pair(view(pod.name_space), std::string_view(pod.name));
    });
    return pods;
  }

  Key key_of(PodId id, const DeviceGrant& grant) const {
    const Pod& pod = cluster_.pods()[id].pod;
    std::string name_space(view(pod.name_space));
    if (grant.claim.valid()) return {name_space, std::string(view(grant.claim)), ""};
    return {name_space, std::string(kExtendedClaim), std::string(pod.name.view())};
  }

  void write_claim(const Key& key, const Claimed& claimed) {
    const auto& [name_space, name, pod] = key;
    out_.begin_object();
    out_.field("namespace", name_space);
    out_.field("name", name);
    if (!pod.empty()) out_.field("pod", pod);
    out_.key("allocation");
    std::string seed = full_key(name_space, name).append("/").append(pod);
    JsonPasser passer(out_);
    GrantJson::sax_parse(allocation_json(*claimed.grant->allocation, seed), &passer);
    out_.begin_array("reservedFor");
    write_users(full_key(name_space, name), claimed);
    out_.end_array();
    out_.end_object();
  }

  void write_users(const std::string& key, const Claimed& claimed) {
    auto known = cluster_.devices().claims.find(key);
    bool there = known != cluster_.devices().claims.end();
    if (there && !known->second.group.empty()) return write_group(known->second);
    if (there) write_reserved(known->second);
    for (PodId id : claimed.pods) write_pod(cluster_.pods()[id].pod);
  }

  // The pods that have it already.
  void write_reserved(const DeviceClaim& claim) {
    for (const std::string& name : claim.pods) {
      PodId id = cluster_.find_pod(view(claim.name_space), name);
      bool binds = id.valid() && !record_.pods[id].details().devices.empty();
      if (!binds && id.valid()) write_pod(cluster_.pods()[id].pod);
    }
  }

  void write_group(const DeviceClaim& claim) {
    out_.begin_object();
    out_.field("apiGroup", "scheduling.k8s.io");
    out_.field("resource", "podgroups");
    out_.field("name", claim.group);
    if (!claim.group_uid.empty()) out_.field("uid", claim.group_uid);
    out_.end_object();
  }

  void write_pod(const Pod& pod) {
    out_.begin_object();
    out_.field("resource", "pods");
    out_.field("name", pod.name.view());
    if (!pod.uid.empty()) out_.field("uid", pod.uid.view());
    out_.end_object();
  }

  DocumentWriter& out_;
  const Cluster& cluster_;
  const CycleRecord& record_;
  std::map<Key, Claimed> claims_;
};

}  // namespace

void write_device_claims(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record) {
  ClaimsWriter(out, cluster, record).write();
}

}  // namespace trellis
