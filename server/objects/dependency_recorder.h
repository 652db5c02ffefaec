// Records the dependencies of an object while it is decoded (dependencies.h).
//
// Guarantees: a name that a decoder reads with reference() is a key. What linking looks up by name
// must be read in this way; a superfluous key only costs time. Cost: O(names that are read).
#pragma once

#include <string>
#include <string_view>

#include "framework/ids.h"
#include "server/document/field_reader.h"
#include "server/objects/dependencies.h"
#include "server/objects/kinds.h"

namespace trellis {

// Whether the result of a pod depends on its node's text, as with a shard, which has some nodes.
enum class PodsRead : uint8_t { NoNodes, Nodes };

class DependencyRecorder {
 public:
  explicit DependencyRecorder(PodsRead pods_read) : pods_read_(pods_read) {}

  // Begins an object, which others find by its name. What follows is read from it.
  void begin(const Kind& kind, std::string_view name_space, std::string_view name);
  // The object finds others by this name; "" is no name.
  void refer(KeyKind kind, std::string_view name);
  // The object has this owner. `labels`: the object's.
  struct Owner {
    std::string_view group;
    std::string_view kind;
    std::string_view name;
  };
  void refer_to_owner(const Owner& owner, Value labels);
  // The object is a volume that this claim may be bound to.
  void serve_claim(std::string_view name_space, std::string_view name);
  // The object is a part of this node's record.
  void stand_on(std::string_view node);
  // What the object is read as depends on this node's text.
  void read_node(std::string_view node);
  // The object has placement preferences: its pods count with others.
  void prefer() { has_preferences_ = true; }

  // The dependencies of all objects since the last call.
  Dependencies take();

 private:
  void end();
  void add(KeyKind kind, std::string_view name_space, std::string_view name, int roles);
  void join(std::string_view name);
  void bind(KeyKind kind, std::string_view name);

  PodsRead pods_read_;
  Dependencies made_;
  // Of the object.
  KindId kind_ = KindId::Other;
  std::string name_space_;
  std::string service_;
  bool pods_alone_ = false;    // it makes each of its pods a gang of its own
  bool stands_alone_ = false;  // an owner does
  bool other_owner_ = false;   // an owner does not
  bool names_group_ = false;
  bool has_preferences_ = false;
};

// The id of a name by which the object finds others; kNone for "".
StrId reference(FieldReader& fields, KeyKind kind, std::string_view name);
// The same for a name that the record has as a text.
void refer(FieldReader& fields, KeyKind kind, std::string_view name);

}  // namespace trellis
