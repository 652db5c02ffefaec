// What the API server says of objects: pages of lists, and lines of watches, taken apart.
//
// An object's own text is kept as the file source reads it: one line of JSON that names its
// apiVersion and kind, without managedFields and what else is not read (unread_members.h).
// Guarantees: an object that cannot be read is counted and left out, and costs none of the
// others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/result.h"

namespace trellis {

struct ApiObject {
  std::string name;  // "NAMESPACE/NAME", or "NAME" where the kind has no namespaces
  std::shared_ptr<const std::string> text;
};

// What the items of a list do not say themselves.
struct ApiKind {
  std::string api_version;
  std::string kind;
};

struct ListPage {
  std::string resource_version;  // of the list
  std::string next;              // the continue token; empty: this was the last page
  std::vector<ApiObject> objects;
  int64_t broken = 0;   // objects that are left out
  std::string example;  // what is wrong with one of them
};

// Not a list at all, or cut off: an error. `body` is followed by a zero byte, as a string's is.
Result<ListPage> read_list_page(const std::string& body, const ApiKind& kind);

// A Status object, as failures are told.
struct ApiStatus {
  int code = 0;
  std::string reason;
  std::string message;
};
ApiStatus read_status(const std::string& body);

struct WatchEvent {
  enum class Type : uint8_t {
    Put,  // it is new, or has changed
    Deleted,
    Bookmark,  // nothing but a version
    Error,
    Broken,   // an object that cannot be read: `wrong` says why
    Unknown,  // a type that this program does not know
  };
  Type type = Type::Unknown;
  ApiObject object;              // of Put; of Deleted only its name
  std::string resource_version;  // empty: it says none
  ApiStatus status;              // of Error
  std::string wrong;
};

// One line of a watch. Not an event at all: an error.
Result<WatchEvent> read_watch_event(const std::string& line, const ApiKind& kind);

}  // namespace trellis
