#include "server/kube/watch/api_objects.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "server/document/document.h"
#include "server/document/document_builder.h"
#include "server/document/json_scanner.h"
#include "server/document/json_text.h"
#include "server/kube/client/api_request.h"
#include "server/objects/decode_meta.h"
#include "server/objects/private_members.h"
#include "server/objects/workload_keys.h"
#include "server/text/printable.h"

namespace trellis {
namespace {

// Kinds that create pods and never have a workload, so that no template of theirs is repeated.
constexpr std::array<std::string_view, 4> kNeverQueued = {"CronJob", "DaemonSet", "Deployment",
                                                          "ReplicaSet"};

constexpr std::array<std::string_view, 5> kOfPodStatus = {"ephemeralContainerStatuses", "hostIP",
                                                          "hostIPs", "podIP", "podIPs"};

constexpr std::array<std::string_view, 11> kOfContainerStatus = {"allocatedResourcesStatus",
                                                                 "containerID",
                                                                 "image",
                                                                 "imageID",
                                                                 "lastState",
                                                                 "ready",
                                                                 "restartCount",
                                                                 "started",
                                                                 "stopSignal",
                                                                 "user",
                                                                 "volumeMounts"};

constexpr std::string_view kResizePending = "PodResizePending";

bool is_read(Value condition, Value pod) {
  std::string_view type = condition["type"].text();
  return type == "Ready" || type == kResizePending ||
         (type == "PodScheduled" && pod["spec"]["nodeName"].text().empty());
}

bool waits_for_resize(Value status) {
  for (Value condition : status["conditions"].items()) {
    if (condition["type"].text() == kResizePending) return true;
  }
  return false;
}

// Whether containers were given, and have, what their spec requests. They do unless they are
// resized.
bool are_as_specified(Value statuses, Value containers) {
  absl::flat_hash_map<std::string_view, uint64_t> wanted;
  for (Value container : containers.items()) {
    wanted.emplace(container["name"].text(), content_hash(container["resources"]["requests"]));
  }
  for (Value status : statuses.items()) {
    auto known = wanted.find(status["name"].text());
    for (Value amounts : {status["allocatedResources"], status["resources"]["requests"]}) {
      if (!amounts.exists()) continue;
      if (known == wanted.end() || content_hash(amounts) != known->second) return false;
    }
  }
  return true;
}

class Unread {
 public:
  template <size_t N>
  void leave_out(Value of, const std::array<std::string_view, N>& keys) {
    for (Value::Member member : of.members()) {
      if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) leave_out(member.value);
    }
  }
  void leave_out(Value part) {
    if (part.exists()) found.push_back(part);
  }
  void leave_out_of_pod(Value pod) {
    Value spec = pod["spec"];
    Value status = pod["status"];
    leave_out(pod["metadata"]["generation"]);
    add_unread_of_pod_spec(spec, found);
    leave_out(status, kOfPodStatus);
    for (Value condition : status["conditions"].items()) {
      if (!is_read(condition, pod)) leave_out(condition);
    }
    leave_out_of_statuses(status["containerStatuses"], spec["containers"], status);
    leave_out_of_statuses(status["initContainerStatuses"], spec["initContainers"], status);
  }
  // Of a failed pod, keeps when its containers ended; of others, the resources they were given.
  void leave_out_of_statuses(Value statuses, Value containers, Value of_pod) {
    bool failed = of_pod["phase"].text() == "Failed";
    if (!failed && !waits_for_resize(of_pod) && are_as_specified(statuses, containers)) {
      return leave_out(statuses);
    }
    for (Value status : statuses.items()) {
      leave_out(status, kOfContainerStatus);
      if (!failed) leave_out(status["state"]);
      if (failed) leave_out(status["resources"]);
      if (failed) leave_out(status["allocatedResources"]);
    }
  }
  // Of a ResourceClaim the configuration that it was given and the data of its drivers are not
  // read.
  void leave_out_of_claim(Value claim) {
    leave_out(claim["status"]["allocation"]["devices"]["config"]);
    for (Value device : claim["status"]["devices"].items()) {
      leave_out(device["data"]);
      leave_out(device["networkData"]);
    }
  }

  std::vector<Value> found;
};

}  // namespace

std::vector<Value> unread_members(Value object, std::string_view api_version,
                                  std::string_view kind) {
  Unread unread;
  Value metadata = object["metadata"];
  unread.leave_out(metadata["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]);
  bool is_claim = kind == "ResourceClaim" && api_group(api_version) == "resource.k8s.io";
  if (is_claim) unread.leave_out_of_claim(object);
  bool is_repeated = annotation_or_label(metadata, kQueueNameKey).exists();
  bool never_queued =
      std::find(kNeverQueued.begin(), kNeverQueued.end(), kind) != kNeverQueued.end();
  if (never_queued && !is_repeated) return private_members(object);
  if (api_version != "v1") return unread.found;
  if (kind == "Node") unread.leave_out(object["status"]["images"]);
  if (kind == "Pod" && !is_repeated) unread.leave_out_of_pod(object);
  return unread.found;
}

namespace {

constexpr size_t kMostMessageBytes = 300;

std::string wrong_json(const JsonScanner& scanner) {
  return "found " + scanner.error().found + ", expected " + scanner.error().expected;
}

// Walks the members of an object, one value at a time, so that a broken value does not affect the
// others. `member(key)` reads the value that follows, and returns whether it could.
template <class Member>
bool walk_object(JsonScanner& scanner, Member member) {
  if (!scanner.take('{')) return scanner.fail("an object");
  if (scanner.take('}')) return true;
  do {
    Document keys;
    DocumentBuilder builder(keys);
    std::string_view key;
    if (!scanner.read_key(keys, key)) return false;
    if (!member(key)) return false;
  } while (scanner.take(','));
  return scanner.take('}') || scanner.fail("\",\" or \"}\"");
}

bool read_value(JsonScanner& scanner, Document& document) {
  DocumentBuilder builder(document);
  return scanner.read_value(builder);
}

// Returns what is wrong with the object; empty: nothing.
std::string take_object(Value value, const ApiKind& kind, ApiObject& object) {
  Value metadata = value["metadata"];
  std::string_view name = metadata["name"].text();
  if (!value.is(ValueKind::Object)) return "found " + describe(value) + ", expected an object";
  if (!metadata["name"].is(ValueKind::String) || name.empty()) return "an object without a name";
  std::string_view name_space = metadata["namespace"].text();
  object.name = name_space.empty() ? "" : std::string(name_space) + "/";
  object.name += name;
  JsonAdditions additions;
  if (value["apiVersion"].absent()) additions.api_version = kind.api_version;
  if (value["kind"].absent()) additions.kind = kind.kind;
  object.text = json_text(value, additions, unread_members(value, kind.api_version, kind.kind));
  return "";
}

void add_broken(ListPage& page, std::string wrong) {
  if (page.broken++ == 0) page.example = std::move(wrong);
}

bool read_items(JsonScanner& scanner, const ApiKind& kind, ListPage& page) {
  if (scanner.peek() == 'n') {  // null: a list without items
    Document nothing;
    return read_value(scanner, nothing);
  }
  if (!scanner.take('[')) return scanner.fail("an array of items");
  if (scanner.take(']')) return true;
  do {
    JsonScanner::Position begin = scanner.position();
    Document document;
    if (!read_value(scanner, document)) {
      add_broken(page, wrong_json(scanner));
      scanner.move_to(begin);
      if (!scanner.skip_balanced()) return scanner.fail("an item that closes");
      continue;
    }
    ApiObject object;
    std::string wrong = take_object(document.root(), kind, object);
    if (wrong.empty()) {
      page.objects.push_back(std::move(object));
    } else {
      add_broken(page, std::move(wrong));
    }
  } while (scanner.take(','));
  return scanner.take(']') || scanner.fail("\",\" or \"]\"");
}

WatchEvent::Type type_of(std::string_view word) {
  if (word == "ADDED" || word == "MODIFIED") return WatchEvent::Type::Put;
  if (word == "DELETED") return WatchEvent::Type::Deleted;
  if (word == "BOOKMARK") return WatchEvent::Type::Bookmark;
  if (word == "ERROR") return WatchEvent::Type::Error;
  return WatchEvent::Type::Unknown;
}

ApiStatus status_of(Value value) {
  ApiStatus status;
  std::string_view code = value["code"].text();
  std::from_chars(code.data(), code.data() + code.size(), status.code);
  status.reason = value["reason"].text();
  status.message = value["message"].text().substr(0, kMostMessageBytes);
  return status;
}

void finish(WatchEvent& event, Value object, std::string_view type, const ApiKind& kind) {
  event.type = type_of(type);
  event.resource_version = object["metadata"]["resourceVersion"].text();
  switch (event.type) {
    case WatchEvent::Type::Put:
    case WatchEvent::Type::Deleted:
      event.wrong = take_object(object, kind, event.object);
      if (!event.wrong.empty()) event.type = WatchEvent::Type::Broken;
      break;
    case WatchEvent::Type::Error:
      event.status = status_of(object);
      break;
    case WatchEvent::Type::Unknown:
      event.wrong = "an event of type " + in_quotes(type);
      break;
    default:
      break;
  }
}

}  // namespace

int64_t retry_after_ms(std::string_view header) {
  constexpr int64_t kMostSeconds = 60;
  constexpr int64_t kMsPerSecond = 1000;
  int64_t seconds = 0;
  auto [end, failure] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (failure == std::errc::result_out_of_range) seconds = header.starts_with('-') ? 0 : INT64_MAX;
  return std::clamp<int64_t>(seconds, 0, kMostSeconds) * kMsPerSecond;
}

std::string describe(const ApiAnswer& answer) {
  if (answer.status == 0) return answer.failure;
  std::string text = "HTTP " + std::to_string(answer.status);
  if (answer.status != 200) {
    std::string message = read_status(answer.body).message;
    if (!message.empty()) text += ": " + printable(message);
  }
  if (!answer.whole()) text += ", " + answer.failure;
  return text;
}

ApiStatus read_status(const std::string& body) {
  JsonScanner scanner(body);
  Document document;
  if (!read_value(scanner, document)) return {};
  return status_of(document.root());
}

Result<ListPage> read_list_page(const std::string& body, const ApiKind& kind) {
  ListPage page;
  JsonScanner scanner(body);
  bool read = walk_object(scanner, [&](std::string_view key) {
    if (key == "items") return read_items(scanner, kind, page);
    bool head = key == "metadata";
    Document document;
    if (!read_value(scanner, document)) return false;
    if (head) {
      page.resource_version = document.root()["resourceVersion"].text();
      page.next = document.root()["continue"].text();
    }
    return true;
  });
  if (!read) return error("a list that is no list: " + wrong_json(scanner));
  if (page.resource_version.empty()) return error("a list without metadata.resourceVersion");
  return page;
}

Result<WatchEvent> read_watch_event(const std::string& line, const ApiKind& kind) {
  WatchEvent event;
  std::string type;
  std::string broken;
  Document object;
  JsonScanner scanner(line);
  bool read = walk_object(scanner, [&](std::string_view key) {
    if (key != "object") {
      bool is_type = key == "type";
      Document document;
      if (!read_value(scanner, document)) return false;
      if (is_type) type = document.root().text();
      return true;
    }
    JsonScanner::Position begin = scanner.position();
    if (read_value(scanner, object)) return true;
    broken = wrong_json(scanner);
    scanner.move_to(begin);
    return scanner.skip_balanced();
  });
  if (!read) return error("a line that is no event: " + wrong_json(scanner));
  if (!broken.empty()) {
    event.type = WatchEvent::Type::Broken;
    event.wrong = std::move(broken);
    return event;
  }
  finish(event, object.root(), type, kind);
  return event;
}

}  // namespace trellis
