// The types of expressions before they run, and which of them agree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cel/value.h"

namespace trellis::cel {

// A type of the table below.
using TypeIndex = uint32_t;

enum class TypeForm : uint8_t {
  // Known at run time only.
  Dyn,
  // `kind` says which; `parameters` of lists, maps, optionals and types of types.
  Known,
  // Stands for a type: `A` of a function's signature, or the element of `[]`.
  Parameter,
};

struct Type {
  TypeForm form = TypeForm::Dyn;
  Kind kind = Kind::Null;
  std::vector<TypeIndex> parameters;
};

// Types, and what their parameters stand for so far.
class Types {
 public:
  Types();

  TypeIndex dyn() const { return 0; }
  TypeIndex of(Kind kind) { return add({TypeForm::Known, kind, {}}); }
  TypeIndex list(TypeIndex element) { return add({TypeForm::Known, Kind::List, {element}}); }
  TypeIndex map(TypeIndex key, TypeIndex value) {
    return add({TypeForm::Known, Kind::Map, {key, value}});
  }
  TypeIndex optional(TypeIndex inner) { return add({TypeForm::Known, Kind::Optional, {inner}}); }
  TypeIndex type_of(TypeIndex type) { return add({TypeForm::Known, Kind::Type, {type}}); }
  TypeIndex parameter() { return add({TypeForm::Parameter, Kind::Null, {}}); }

  // What a type is by now: a parameter that stands for a type is that type.
  const Type& view(TypeIndex type) const { return types_[resolve(type)]; }
  TypeIndex resolve(TypeIndex type) const;
  bool is(TypeIndex type, Kind kind) const {
    const Type& known = view(type);
    return known.form == TypeForm::Known && known.kind == kind;
  }
  bool is_dyn(TypeIndex type) const { return view(type).form == TypeForm::Dyn; }

  // May a value of type `a` stand where `b` is expected? Parameters get to stand for types.
  bool assignable(TypeIndex a, TypeIndex b);
  // As above for several; all or none of the parameters change.
  bool assignable(const std::vector<TypeIndex>& a, const std::vector<TypeIndex>& b);
  // The same type, parameters included.
  bool exact(TypeIndex a, TypeIndex b) const;
  // The type of a list of both.
  TypeIndex join(TypeIndex a, TypeIndex b);
  std::string name(TypeIndex type) const;

 private:
  TypeIndex add(Type type);
  bool substitute(TypeIndex type, TypeIndex parameter, bool& has_type);
  bool occurs(TypeIndex parameter, TypeIndex in) const;
  bool less_specific(TypeIndex a, TypeIndex b) const;

  std::vector<Type> types_;
  // Of parameters: what they stand for; kFree: nothing yet.
  std::vector<TypeIndex> stands_for_;
};

}  // namespace trellis::cel
