#include "cel/types.h"

#include <utility>

namespace trellis::cel {
namespace {

constexpr TypeIndex kFree = UINT32_MAX;

// null may stand where values of these types are expected.
bool takes_null(const Type& type) {
  if (type.form != TypeForm::Known) return true;
  switch (type.kind) {
    case Kind::Null:
    case Kind::Duration:
    case Kind::Timestamp:
    case Kind::Optional:
    case Kind::Quantity:
    case Kind::Semver:
    case Kind::Ip:
    case Kind::Cidr:
    case Kind::Url:
    case Kind::Format:
    case Kind::Device:
      return true;
    default:
      return false;
  }
}

}  // namespace

Types::Types() { add({}); }

TypeIndex Types::add(Type type) {
  types_.push_back(std::move(type));
  stands_for_.push_back(kFree);
  return static_cast<TypeIndex>(types_.size() - 1);
}

TypeIndex Types::resolve(TypeIndex type) const {
  while (types_[type].form == TypeForm::Parameter && stands_for_[type] != kFree) {
    type = stands_for_[type];
  }
  return type;
}

// NOLINTBEGIN(misc-no-recursion): as deep as types, which expressions of bounded depth make.
bool Types::occurs(TypeIndex parameter, TypeIndex in) const {
  in = resolve(in);
  if (in == parameter) return true;
  for (TypeIndex inner : types_[in].parameters) {
    if (occurs(parameter, inner)) return true;
  }
  return false;
}

bool Types::exact(TypeIndex a, TypeIndex b) const {
  a = resolve(a);
  b = resolve(b);
  if (a == b) return true;
  const Type& first = types_[a];
  const Type& second = types_[b];
  if (first.form != second.form || first.form == TypeForm::Parameter) return false;
  if (first.form == TypeForm::Dyn) return true;
  if (first.kind != second.kind || first.parameters.size() != second.parameters.size())
    return false;
  for (size_t i = 0; i < first.parameters.size(); ++i) {
    if (!exact(first.parameters[i], second.parameters[i])) return false;
  }
  return true;
}

bool Types::less_specific(TypeIndex a, TypeIndex b) const {
  a = resolve(a);
  b = resolve(b);
  const Type& first = types_[a];
  const Type& second = types_[b];
  if (first.form != TypeForm::Known) return true;
  if (second.form != TypeForm::Known) return false;
  if (first.kind != second.kind || first.parameters.size() != second.parameters.size())
    return false;
  for (size_t i = 0; i < first.parameters.size(); ++i) {
    if (!less_specific(first.parameters[i], second.parameters[i])) return false;
  }
  return true;
}

// May `parameter` stand for `type`?
bool Types::substitute(TypeIndex type, TypeIndex parameter, bool& has_type) {
  has_type = false;
  if (type == parameter) {
    has_type = true;
    return true;
  }
  TypeIndex known = stands_for_[parameter];
  if (known != kFree) {
    has_type = true;
    if (exact(type, known)) return true;
    if (!assignable(type, known)) return false;
    TypeIndex general = less_specific(type, known) ? type : known;
    if (general != known && !occurs(parameter, general)) stands_for_[parameter] = general;
    return true;
  }
  if (occurs(parameter, type)) return false;
  stands_for_[parameter] = type;
  return true;
}

bool Types::assignable(TypeIndex a, TypeIndex b) {
  bool has_type = false;
  if (types_[b].form == TypeForm::Parameter) {
    if (substitute(a, b, has_type)) return true;
    if (has_type) return false;
  }
  if (types_[a].form == TypeForm::Parameter) return substitute(b, a, has_type);
  Type first = types_[a];
  Type second = types_[b];
  if (first.form == TypeForm::Dyn || second.form == TypeForm::Dyn) return true;
  if (first.kind == Kind::Null) return takes_null(second);
  if (second.kind == Kind::Null) return takes_null(first);
  if (first.kind != second.kind) return false;
  if (first.kind == Kind::Type) return true;
  if (first.parameters.size() != second.parameters.size()) return false;
  for (size_t i = 0; i < first.parameters.size(); ++i) {
    if (!assignable(first.parameters[i], second.parameters[i])) return false;
  }
  return true;
}

std::string Types::name(TypeIndex type) const {
  const Type& known = view(type);
  if (known.form != TypeForm::Known) return "dyn";
  std::string text(name_of(known.kind));
  if (known.parameters.empty()) return text;
  text += "(";
  for (size_t i = 0; i < known.parameters.size(); ++i) {
    if (i > 0) text += ", ";
    text += name(known.parameters[i]);
  }
  return text + ")";
}
// NOLINTEND(misc-no-recursion)

bool Types::assignable(const std::vector<TypeIndex>& a, const std::vector<TypeIndex>& b) {
  if (a.size() != b.size()) return false;
  std::vector<TypeIndex> before = stands_for_;
  for (size_t i = 0; i < a.size(); ++i) {
    if (assignable(a[i], b[i])) continue;
    stands_for_ = std::move(before);
    return false;
  }
  return true;
}

TypeIndex Types::join(TypeIndex a, TypeIndex b) {
  if (assignable({a}, {b})) return less_specific(a, b) ? a : b;
  if (assignable({b}, {a})) return less_specific(a, b) ? a : b;
  return dyn();
}

}  // namespace trellis::cel
