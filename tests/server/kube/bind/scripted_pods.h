// An API server that holds pods in virtual time, with faults by seed: binds and evictions that are
// refused, that are done without an answer, or done late, and a watch that reports late.
//
// It copies no labels of a Binding, as servers before 1.35. It judges what it is asked for: a bind
// that could come true beside another of the same pod, or whose labels its pod does not bear, a
// node with more pods than it takes, an eviction that was not decided.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/kube/client/api_request.h"
#include "tests/support/random.h"

namespace trellis::test {

class ScriptedPods {
 public:
  static constexpr int64_t kLongestRequestMs = 55'000;
  static constexpr size_t kRoom = 4;  // pods that a node takes

  struct Pod {
    std::string uid;
    std::string node;
    bool there = true;  // in an event: false once it went
    bool labelled = false;
  };
  struct Event {
    int64_t at_ms = 0;
    std::string name;
    Pod pod;
  };

  explicit ScriptedPods(uint64_t seed) : random_(seed) {}

  bool faulty = true;
  std::set<std::string> nodes;
  std::set<std::string> may_be_evicted;  // uids
  std::vector<std::string> wrongs;       // what must never happen, and did

  const std::map<std::string, Pod>& pods() const { return pods_; }

  void create(const std::string& name, int64_t now_ms) {
    pods_[name] = {"u" + std::to_string(++last_uid_), "", true, false};
    report(name, now_ms);
  }
  void remove(const std::string& name, int64_t now_ms) {
    Pod gone = pods_[name];
    pods_.erase(name);
    gone.there = false;
    push({0, name, gone}, now_ms);
  }

  // When the answer is there, and what it says; time 0: never, the connection breaks off then.
  struct Reply {
    int64_t at_ms = 0;
    ApiAnswer answer;
  };
  Reply ask(const ApiRequest& request, int64_t now_ms) {
    Reply reply{now_ms + 1 + random_.below(faulty ? 400 : 5), {}};
    std::string name = name_in(request.target);
    if (faulty && random_.chance(10)) return refuse(reply);
    if (request.method == "GET") {
      reply.answer = read(name);
      return reply;
    }
    Write write = write_of(request, name);
    judge(write);
    if (faulty && random_.chance(8)) {
      // The answer is lost; what was asked is done, is done late, or never.
      reply = {now_ms + 10'000, {0, "", "the connection broke off", 0}};
      if (random_.chance(40)) late_.emplace(now_ms + random_.below(kLongestRequestMs), write);
      if (random_.chance(40)) carry_out(write, now_ms);
      return reply;
    }
    if (faulty && random_.chance(5)) {
      carry_out(write, now_ms);
      reply.answer = {500, "", "", 0};
      return reply;
    }
    reply.answer = carry_out(write, now_ms);
    return reply;
  }

  void pass(int64_t now_ms) {
    while (!late_.empty() && late_.begin()->first <= now_ms) {
      Write write = late_.begin()->second;
      late_.erase(late_.begin());
      carry_out(write, now_ms);
    }
  }
  // The sink is gone: what is under way is done now or never.
  void hang_up(int64_t now_ms) {
    auto left = std::exchange(late_, {});
    for (auto& [at, write] : left) {
      if (random_.chance(50)) carry_out(write, now_ms);
    }
  }

  // What the watch reports by now.
  std::vector<Event> events_until(int64_t now_ms) {
    std::vector<Event> events;
    while (!events_.empty() && events_.front().at_ms <= now_ms) {
      events.push_back(std::move(events_.front()));
      events_.pop_front();
    }
    return events;
  }
  void relist() { events_.clear(); }

 private:
  struct Write {
    enum class What : uint8_t { Bind, Evict, Label, Disrupt } what = What::Bind;
    std::string name;
    std::string uid;
    std::string node = {};  // of Bind
    bool labels = false;    // of Bind: it carries some
  };

  static std::string name_in(const std::string& target) {
    const std::string before = "/pods/";
    size_t at = target.find(before) + before.size();
    return target.substr(at, target.find('/', at) - at);
  }

  static Write write_of(const ApiRequest& request, const std::string& name) {
    nlohmann::json body = nlohmann::json::parse(request.body);
    if (request.target.ends_with("/binding")) {
      bool labels = body["metadata"].contains("labels");
      return {Write::What::Bind, name, body["metadata"]["uid"], body["target"]["name"], labels};
    }
    if (request.method == "PATCH") {
      bool status = request.target.ends_with("/status");
      return {status ? Write::What::Disrupt : Write::What::Label, name, body["metadata"]["uid"]};
    }
    const nlohmann::json& options = request.method == "DELETE" ? body : body["deleteOptions"];
    return {Write::What::Evict, name, options["preconditions"]["uid"]};
  }

  Reply refuse(Reply reply) {
    switch (random_.below(5)) {
      case 0:
        reply.answer = {0, "", "no connection", 0};
        break;
      case 1:
        reply.answer = {429, "", "", 1000};
        break;
      case 2:
        reply.answer = {409, R"({"kind":"Status","metadata":{},"code":409})", "", 0};
        break;
      case 3:
        reply.answer = {503, "<html>no JSON</html>", "", 0};
        break;
      default:
        reply.answer = {403, R"({"kind":"Status","metadata":{},"code":403})", "", 0};
    }
    return reply;
  }

  ApiAnswer read(const std::string& name) const {
    auto found = pods_.find(name);
    if (found == pods_.end()) return {404, "", "", 0};
    nlohmann::json pod = {{"metadata", {{"name", name}, {"uid", found->second.uid}}}};
    if (!found->second.node.empty()) pod["spec"]["nodeName"] = found->second.node;
    return {200, pod.dump(), "", 0};
  }

  void judge(const Write& write) {
    for (const auto& [at, other] : late_) {
      bool binds = other.what == Write::What::Bind && write.what == Write::What::Bind;
      if (other.uid == write.uid && binds && other.node != write.node) {
        wrongs.push_back(write.name + " is bound to " + write.node + " while a bind to " +
                         other.node + " may come true");
      }
    }
    bool leaves = write.what == Write::What::Evict || write.what == Write::What::Disrupt;
    if (leaves && !may_be_evicted.contains(write.uid)) {
      wrongs.push_back(write.name + " is evicted without cause");
    }
  }

  ApiAnswer carry_out(const Write& write, int64_t now_ms) {
    auto found = pods_.find(write.name);
    if (found == pods_.end()) return {404, "", "", 0};
    Pod& pod = found->second;
    if (pod.uid != write.uid) return {409, "", "", 0};
    if (write.what == Write::What::Label) pod.labelled = true;
    if (write.what == Write::What::Label || write.what == Write::What::Disrupt) {
      report(write.name, now_ms);
      return {200, "", "", 0};
    }
    if (write.what == Write::What::Evict) {
      if (faulty && random_.chance(30)) return {429, "", "", 10'000};  // a disruption budget
      remove(write.name, now_ms);
      return {201, "", "", 0};
    }
    if (!pod.node.empty()) return {409, "", "", 0};
    if (write.labels && !pod.labelled) wrongs.push_back(write.name + " is bound without labels");
    pod.node = write.node;
    report(write.name, now_ms);
    auto here = std::count_if(pods_.begin(), pods_.end(),
                              [&](const auto& entry) { return entry.second.node == write.node; });
    bool full = nodes.contains(write.node) && here > static_cast<int64_t>(kRoom);
    if (full) wrongs.push_back(write.node + " has more pods than it takes");
    return {201, "", "", 0};
  }

  void report(const std::string& name, int64_t now_ms) { push({0, name, pods_[name]}, now_ms); }
  // In order, whatever comes late.
  void push(Event event, int64_t now_ms) {
    event.at_ms = now_ms + (faulty ? random_.below(random_.chance(5) ? 40'000 : 500) : 1);
    if (!events_.empty()) event.at_ms = std::max(event.at_ms, events_.back().at_ms);
    events_.push_back(std::move(event));
  }

  Random random_;
  std::map<std::string, Pod> pods_;
  std::multimap<int64_t, Write> late_;
  std::deque<Event> events_;
  int64_t last_uid_ = 0;
};

}  // namespace trellis::test
