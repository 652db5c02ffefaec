#include "server/kube/watch/reflector.h"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

constexpr int kGone = 410;
constexpr int64_t kMsPerSecond = 1000;
// A watch that ends sooner, without an event, is a failure: a server that always does so must not
// be asked all the time.
constexpr int64_t kShortWatchMs = 1000;

bool too_old(int code, const std::string& reason) {
  return code == kGone || reason == "Expired" || reason == "Gone";
}

// Tokens and versions are opaque.
std::string query_escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_' || c == '.';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace

Reflector::Step Reflector::next(int64_t now_ms) {
  Step step;
  if (now_ms < not_before_ms_) {
    step.until_ms = not_before_ms_;
    return step;
  }
  if (version_.empty()) {
    step.what = Step::Do::List;
    // Without a resourceVersion the answer is the newest state, not that of a late cache.
    step.target = options_.path + "?limit=" + std::to_string(kPageObjects);
    if (!next_.empty()) step.target += "&continue=" + query_escaped(next_);
    step.timeout_ms = kListTimeoutMs;
    return step;
  }
  int64_t seconds = kLeastWatchS + backoff_.below(kMostWatchS - kLeastWatchS + 1);
  step.what = Step::Do::Watch;
  step.target = options_.path +
                "?watch=1&allowWatchBookmarks=true&resourceVersion=" + query_escaped(version_) +
                "&timeoutSeconds=" + std::to_string(seconds);
  step.timeout_ms = seconds * kMsPerSecond + kMarginMs;
  began_ms_ = now_ms;
  got_event_ = false;
  stream_error_.clear();
  ++figures_.watches;
  return step;
}

void Reflector::listed(int64_t now_ms, const ApiAnswer& answer) {
  if (!answer.ok()) {
    // Pages of two lists are never mixed: what breaks off starts again.
    list_again();
    return fail(now_ms, "list: " + describe(answer), answer.retry_after_ms);
  }
  Result<ListPage> page = read_list_page(answer.body, options_.kind);
  if (!page) {
    list_again();
    return fail(now_ms, "list: " + page.error().message, 0);
  }
  for (ApiObject& object : page->objects) {
    listing_.insert_or_assign(std::move(object.name), packer_.pack(object.text));
  }
  if (page->broken > 0) note_broken(page->broken, page->example);
  next_ = std::move(page->next);
  if (!next_.empty()) return;
  store_.replace(std::exchange(listing_, {}));
  version_ = std::move(page->resource_version);
  refusals_ = 0;
  ++figures_.lists;
}

bool Reflector::take_line(const std::string& line) {
  Result<WatchEvent> event = read_watch_event(line, options_.kind);
  if (!event) {
    // The event of this line is lost.
    lose(event.error().message);
    return false;
  }
  take_event(*event);
  return stream_error_.empty();
}

void Reflector::lose(std::string what) {
  stream_error_ = std::move(what);
  list_again();
}

void Reflector::take_event(WatchEvent& event) {
  switch (event.type) {
    case WatchEvent::Type::Put:
      store_.put(std::move(event.object.name), packer_.pack(event.object.text));
      ++figures_.events;
      break;
    case WatchEvent::Type::Deleted:
      store_.erase(event.object.name);
      ++figures_.events;
      break;
    case WatchEvent::Type::Bookmark:
      break;
    case WatchEvent::Type::Broken:
      note_broken(1, event.wrong);
      break;
    case WatchEvent::Type::Error:
      return take_error(event.status);
    case WatchEvent::Type::Unknown:
      stream_error_ = event.wrong;
      return list_again();
  }
  got_event_ = true;
  refusals_ = 0;
  if (!event.resource_version.empty()) version_ = std::move(event.resource_version);
}

void Reflector::take_error(const ApiStatus& status) {
  stream_error_ = "an error in the stream: " + std::to_string(status.code) + " " + status.reason +
                  " " + status.message;
  if (too_old(status.code, status.reason)) list_again();
}

void Reflector::ended(int64_t now_ms, const ApiAnswer& answer) {
  if (!stream_error_.empty()) {
    if (!version_.empty() && ++refusals_ >= kMostRefusals) list_again();
    return fail(now_ms, "watch: " + stream_error_, 0);
  }
  if (answer.status != 0 && answer.status != 200) {
    bool expired = too_old(answer.status, read_status(answer.body).reason);
    if (expired || ++refusals_ >= kMostRefusals) list_again();
    return fail(now_ms, "watch: " + describe(answer), answer.retry_after_ms);
  }
  if (!answer.whole()) return fail(now_ms, "watch: " + describe(answer), 0);
  if (!got_event_ && now_ms - began_ms_ < kShortWatchMs) {
    fail(now_ms, "watch: it ended at once, without a word", 0);
  }
}

void Reflector::list_again() {
  version_.clear();
  next_.clear();
  listing_.clear();
  refusals_ = 0;
}

void Reflector::fail(int64_t now_ms, const std::string& what, int64_t at_least_ms) {
  ++figures_.failures;
  not_before_ms_ = now_ms + std::max(backoff_.wait_ms(now_ms), at_least_ms);
  if (options_.failed) options_.failed(what);
}

void Reflector::note_broken(int64_t count, const std::string& example) {
  figures_.broken += count;
  if (options_.broken) options_.broken(example);
}

}  // namespace trellis
