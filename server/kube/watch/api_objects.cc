#include "server/kube/watch/api_objects.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "server/document/document.h"
#include "server/document/document_builder.h"
#include "server/document/json_scanner.h"
#include "server/document/json_text.h"
#include "server/kube/client/api_answer.h"
#include "server/kube/watch/unread_members.h"
#include "server/text/printable.h"

namespace trellis {
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
  std::string text =
      json_text(value, additions, unread_members(value, kind.api_version, kind.kind));
  text.shrink_to_fit();  // it is kept
  object.text = std::make_shared<const std::string>(std::move(text));
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
