// Parses what the API server returns of objects: pages of lists, and lines of watches.
//
// An object's own text is kept as the file source reads it: one line of JSON that names its
// apiVersion and kind, without managedFields and other members that are not read
// (api_objects.h). Guarantees: an object that cannot be read is counted and left out, and does
// not affect the others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/result.h"
#include "server/document/document.h"

namespace trellis {

// The members of live objects that are not read: they are left out of the text that is kept.
//
// This saves memory and protects secrets: what containers of a pod, and of the template of a
// Deployment and the like, are given (environment, command, files) is not kept, unless a Workload
// is made of the object, which repeats it. Where it is kept, /debug/snapshot never returns it
// (private_members.h).

// The unread members of an object of this kind, at any depth, in no order.
std::vector<Value> unread_members(Value object, std::string_view api_version,
                                  std::string_view kind);

struct ApiObject {
  std::string name;  // "NAMESPACE/NAME", or "NAME" where the kind has no namespaces
  std::string text;  // empty: there is none
};

// The fields that the items of a list do not contain themselves.
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

// Error: `body` is no list, or is cut off. `body` is followed by a zero byte, as a string's is.
Result<ListPage> read_list_page(const std::string& body, const ApiKind& kind);

// A Status object, as the server returns it for failures.
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
  std::string resource_version;  // empty: none
  ApiStatus status;              // of Error
  std::string wrong;
};

// Reads one line of a watch. Error: the line is no event.
Result<WatchEvent> read_watch_event(const std::string& line, const ApiKind& kind);

}  // namespace trellis
