#include "devices/constraints.h"

#include <algorithm>

namespace trellis::devices {
namespace {

const std::string& attribute_name(const Constraint& constraint) {
  return constraint.match_attribute.empty() ? constraint.distinct_attribute
                                            : constraint.match_attribute;
}

// By type and value; versions as their texts.
bool same(const cel::Value& a, const cel::Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is(cel::Kind::Semver)) return a.semver().text() == b.semver().text();
  return cel::equal(a, b).is_true();
}

}  // namespace

const cel::Value* attribute_of(const KnownDevice& known, std::string_view name) {
  auto named = [&](std::string_view wanted) -> const cel::Value* {
    for (const Attribute& attribute : known.device->attributes) {
      if (attribute.name == wanted) return &attribute.value;
    }
    return nullptr;
  };
  if (const cel::Value* value = named(name)) return value;
  size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.substr(0, slash) != known.id.driver) {
    return nullptr;
  }
  return named(name.substr(slash + 1));
}

bool ConstraintState::allows(const KnownDevice& device,
                             std::span<const uint32_t> constraints) const {
  for (uint32_t index : constraints) {
    const Constraint& constraint = (*constraints_)[index];
    const cel::Value* value = attribute_of(device, attribute_name(constraint));
    if (value == nullptr) return false;
    const std::vector<const cel::Value*>& before = values_[index];
    if (before.empty()) continue;
    // Lists are not compared: 1.37 leaves that off.
    if (value->is(cel::Kind::List)) return false;
    if (!constraint.match_attribute.empty()) {
      if (!same(*before.front(), *value)) return false;
      continue;
    }
    if (std::any_of(before.begin(), before.end(),
                    [&](const cel::Value* other) { return same(*other, *value); })) {
      return false;
    }
  }
  return true;
}

void ConstraintState::add(const KnownDevice& device, std::span<const uint32_t> constraints) {
  for (uint32_t index : constraints) {
    values_[index].push_back(attribute_of(device, attribute_name((*constraints_)[index])));
  }
}

void ConstraintState::remove(std::span<const uint32_t> constraints) {
  for (uint32_t index : constraints) values_[index].pop_back();
}

}  // namespace trellis::devices
