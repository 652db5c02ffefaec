// ResourceClaims of a scripted API server, and the controller that frees them.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "tests/server/kube/bind/lossy_server.h"

namespace trellis::test {

class ScriptedClaims : public LossyServer {
 public:
  using Json = nlohmann::ordered_json;

  using LossyServer::LossyServer;

  std::set<std::string> pods;   // by uid; others are gone
  std::set<std::string> bound;  // of these

  struct Claim {
    int version = 1;
    Json finalizers = Json::array();
    Json allocation;  // null: none
    Json reserved = Json::array();
  };
  std::map<std::string, Claim> claims;

  bool is_reserved(const std::string& claim, const std::string& uid) const {
    return std::ranges::any_of(claims.at(claim).reserved,
                               [&](const Json& entry) { return entry["uid"] == uid; });
  }

 private:
  static std::string name_in(std::string target) {
    if (target.ends_with("/status")) target.resize(target.size() - 7);
    return target.substr(target.rfind('/') + 1);
  }

  Json object_of(const std::string& name, const Claim& claim) const {
    Json object;
    object["metadata"] = {{"name", name},
                          {"uid", "uid-" + name},
                          {"resourceVersion", std::to_string(claim.version)},
                          {"finalizers", claim.finalizers}};
    object["status"] = Json::object();
    if (!claim.allocation.is_null()) object["status"]["allocation"] = claim.allocation;
    object["status"]["reservedFor"] = claim.reserved;
    return object;
  }

  ApiAnswer read(const std::string& target) override {
    auto found = claims.find(name_in(target));
    if (found == claims.end()) return {404, "{}", "", 0};
    return {200, object_of(found->first, found->second).dump(), "", 0};
  }

  ApiAnswer write(const ApiRequest& request) override {
    auto found = claims.find(name_in(request.target));
    if (found == claims.end()) return {404, "{}", "", 0};
    Claim& claim = found->second;
    Json patch = Json::parse(request.body);
    if (patch["metadata"]["resourceVersion"] != std::to_string(claim.version)) {
      return {409, "{}", "", 0};
    }
    if (request.target.ends_with("/status")) {
      if (!take_status(found->first, claim, patch["status"])) return {422, "{}", "", 0};
    } else {
      claim.finalizers = patch["metadata"]["finalizers"];
    }
    ++claim.version;
    return {200, object_of(found->first, claim).dump(), "", 0};
  }

  // What the API server refuses, and what must never happen.
  bool take_status(const std::string& name, Claim& claim, const Json& status) {
    if (status.contains("reservedFor")) {
      Json next = status["reservedFor"].is_null() ? Json::array() : status["reservedFor"];
      for (const Json& entry : claim.reserved) {
        bool stays = std::ranges::find(next, entry) != next.end();
        if (!stays && bound.contains(entry["uid"])) wrongs.push_back(name + " left a bound pod");
      }
      claim.reserved = std::move(next);
    }
    if (!status.contains("allocation")) return true;
    bool frees = status["allocation"].is_null();
    if (!frees && !claim.allocation.is_null()) return false;
    if (!frees && claim.finalizers.empty()) wrongs.push_back(name + " has no finalizer");
    if (frees && !claim.reserved.empty()) wrongs.push_back(name + " was freed in use");
    claim.allocation = status["allocation"];
    return true;
  }

  // What the controller of claims does: pods that are gone leave the claim.
  void control() override {
    for (auto& [name, claim] : claims) {
      size_t before = claim.reserved.size();
      Json left = Json::array();
      for (const Json& entry : claim.reserved) {
        if (pods.contains(entry["uid"])) left.push_back(entry);
      }
      if (left.size() == before) continue;
      claim.reserved = std::move(left);
      if (claim.reserved.empty()) claim.allocation = nullptr;
      ++claim.version;
    }
  }
};

}  // namespace trellis::test
