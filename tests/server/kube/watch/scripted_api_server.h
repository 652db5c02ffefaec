// An API server of one kind in virtual time, with faults by seed: what it says is what a real one
// would, what it does wrong is what networks and real ones do.
//
// It keeps each object's versions for ever, so that a test can compare what a store holds with what
// was true. `pump` lets the reflector that is driven do all that it does until a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/kube/client/line_buffer.h"
#include "server/kube/watch/reflector.h"
#include "tests/support/random.h"

namespace trellis::test {

class ScriptedApiServer {
 public:
  explicit ScriptedApiServer(uint64_t seed) : random_(seed) {}

  // Faults on: each request may fail in some way.
  bool faulty = true;
  uint32_t page = 3;  // objects a page holds at most, whatever the client asks for

  void put(const std::string& name) { change(name, false); }
  void remove(const std::string& name) {
    if (objects_.contains(name)) change(name, true);
  }
  // What an API server that was restarted no longer knows: every version but the newest.
  void restart() {
    oldest_ = version_;
    tokens_.clear();
    for (Stream& stream : streams_) stream.open = false;
  }
  const std::map<std::string, int64_t>& objects() const { return objects_; }
  int64_t version() const { return version_; }

  ApiAnswer list(const std::string& target) {
    if (faulty && random_.chance(25)) return refuse();
    std::string token = parameter(target, "continue");
    List list;
    if (token.empty()) {
      // A server that is asked for any version may answer from an old cache: this one always does.
      bool stale = !parameter(target, "resourceVersion").empty();
      list.version = stale ? oldest_ : version_;
      list.left.assign(objects_.begin(), objects_.end());
    } else {
      auto known = tokens_.find(token);
      bool expired = known == tokens_.end() || (faulty && random_.chance(15));
      if (expired) return {410, status(410, "Expired"), "", 0};
      list = known->second;
    }
    ApiAnswer answer{200, page_text(list), "", 0};
    if (faulty && random_.chance(8))
      answer.body.resize(random_.below(static_cast<uint32_t>(answer.body.size())));
    if (faulty && random_.chance(5)) answer.failure = "broken off";
    return answer;
  }

  // A watch that was answered 200; false: `answer` says what came instead.
  bool open(const std::string& target, int64_t now_ms, ApiAnswer& answer) {
    if (faulty && random_.chance(25)) {
      answer = refuse();
      return false;
    }
    Stream stream;
    stream.sent = std::stoll(parameter(target, "resourceVersion"));
    stream.ends_ms = now_ms + 1000 * std::stoll(parameter(target, "timeoutSeconds"));
    if (faulty && random_.chance(30)) stream.ends_ms = now_ms + random_.below(5000);
    if (faulty && random_.chance(10)) stream.dies_ms = now_ms + random_.below(20'000);
    streams_ = {stream};
    if (stream.sent < oldest_) {
      streams_[0].text = R"({"type":"ERROR","object":)" + status(410, "Expired") + "}\n";
      streams_[0].ends_ms = now_ms;
    }
    return true;
  }

  // What the stream says by `now_ms`; `end`: how it ended, if it did.
  std::string read(int64_t now_ms, std::optional<ApiAnswer>& end) {
    Stream& stream = streams_[0];
    if (now_ms >= stream.dies_ms) return "";  // silent for ever: the peer is gone
    std::string text = std::exchange(stream.text, "");
    bool error = text.starts_with(R"({"type":"ERROR")");
    for (const Change& change : history_) {
      if (error || change.version <= stream.sent) continue;
      // Events may come late, but in order.
      if (faulty && random_.chance(30)) break;
      text += event(change);
      stream.sent = change.version;
      // The line is there, and what it says is lost.
      if (faulty && random_.chance(2)) text.replace(text.size() - 4, 3, "...");
      if (faulty && random_.chance(3)) text += event(change);  // sent twice
    }
    if (faulty && !error) add_noise(text, stream);
    if (random_.chance(10) && !error) text += bookmark(stream.sent);
    if (!stream.open) {
      end = ApiAnswer{200, "", "reset by the peer", 0};
    } else if (now_ms >= stream.ends_ms) {
      end = ApiAnswer{200, "", "", 0};
    }
    return text;
  }

 private:
  struct Change {
    int64_t version;
    std::string name;
    bool removed;
    bool added;
  };
  struct List {
    int64_t version = 0;
    std::vector<std::pair<std::string, int64_t>> left;
  };
  struct Stream {
    int64_t sent = 0;
    int64_t ends_ms = 0;
    int64_t dies_ms = INT64_MAX;
    std::string text;
    bool open = true;
  };

  void change(const std::string& name, bool removed) {
    ++version_;
    bool added = !objects_.contains(name);
    if (removed) {
      objects_.erase(name);
    } else {
      objects_[name] = version_;
    }
    history_.push_back({version_, name, removed, added});
  }

  ApiAnswer refuse() {
    switch (random_.below(5)) {
      case 0:
        return {0, "", "no connection", 0};
      case 1:
        return {500, status(500, "InternalError"), "", 0};
      case 2:
        return {429, status(429, "TooManyRequests"), "", 1000};
      case 3:
        return {410, status(410, "Gone"), "", 0};
      default:
        return {503, "<html>no JSON</html>", "", 0};
    }
  }

  void add_noise(std::string& text, Stream& stream) {
    if (random_.chance(3))
      text += R"({"type":"ADDED","object":{"kind":"Pod","metadata":{}}})"
              "\n";
    if (random_.chance(3))
      text += R"({"type":"MODIFIED","object":{"metadata":{"name":1}},)"
              "\n";
    if (random_.chance(2)) text += R"({"type":"ERROR","object":)" + status(500, "Oops") + "}\n";
    if (random_.chance(2))
      text += R"({"type":"NEWER","object":{}})"
              "\n";
    // The rest of a line never comes.
    if (random_.chance(4) && !text.empty()) {
      text.resize(random_.below(static_cast<uint32_t>(text.size())));
      stream.open = false;
    }
  }

  static std::string parameter(const std::string& target, const std::string& name) {
    size_t at = target.find(name + "=");
    if (at == std::string::npos) return "";
    at += name.size() + 1;
    return target.substr(at, target.find('&', at) - at);
  }

  std::string page_text(List list) {
    std::string items;
    uint32_t count = std::min(page, static_cast<uint32_t>(list.left.size()));
    for (uint32_t i = 0; i < count; ++i) {
      if (i > 0) items += ',';
      items += object(list.left[i].first, list.left[i].second);
    }
    if (faulty && random_.chance(5)) items += std::string(count > 0 ? "," : "") + R"({"spec":{}})";
    list.left.erase(list.left.begin(), list.left.begin() + count);
    std::string next;
    if (!list.left.empty()) {
      next = "t" + std::to_string(++last_token_);
      tokens_[next] = list;
    }
    return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" +
           std::to_string(list.version) + R"(","continue":")" + next + R"("},"items":[)" + items +
           "]}";
  }

  static std::string object(const std::string& name, int64_t version) {
    return R"({"metadata":{"namespace":"n","name":")" + name + R"(","resourceVersion":")" +
           std::to_string(version) + R"("}})";
  }
  static std::string event(const Change& change) {
    const char* type = change.removed ? "DELETED" : change.added ? "ADDED" : "MODIFIED";
    return R"({"type":")" + std::string(type) + R"(","object":)" +
           object(change.name, change.version) + "}\n";
  }
  static std::string bookmark(int64_t version) {
    return R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":")" +
           std::to_string(version) +
           R"("}}})"
           "\n";
  }
  static std::string status(int code, const std::string& reason) {
    return R"({"kind":"Status","code":)" + std::to_string(code) + R"(,"reason":")" + reason +
           R"(","message":"as scripted"})";
  }

  Random random_;
  int64_t version_ = 10;
  int64_t oldest_ = 0;                      // watches from before are refused
  std::map<std::string, int64_t> objects_;  // by name, the version that each is of
  std::vector<Change> history_;
  std::map<std::string, List> tokens_;
  int64_t last_token_ = 0;
  std::vector<Stream> streams_;  // the one that is open
};

}  // namespace trellis::test
