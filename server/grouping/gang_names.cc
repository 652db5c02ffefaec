#include "server/grouping/gang_names.h"

#include <algorithm>
#include <cstdint>

#include "framework/ascii.h"

namespace trellis {
namespace {

uint64_t claim_key(StrId name_space, StrId name) {
  return uint64_t{name_space.value} << 32 | name.value;
}

}  // namespace

void GangNames::announce(const ObjectKey& key, bool keeps_name) {
  Claims& claims = claims_[claim_key(key.name_space, key.name)];
  ++claims.count;
  claims.kept = claims.kept || keeps_name;
}

std::string GangNames::name(const ObjectKey& key, bool keeps_name) {
  std::string plain(strings_.view(key.name));
  if (keeps_name || claims_[claim_key(key.name_space, key.name)].count < 2) return plain;
  std::string kind = lower(strings_.view(key.kind));
  std::string name = kind + "." + plain;
  if (take(key.name_space, name)) return name;
  // Two API groups may have a kind of the same name.
  if (key.group != StringTable::kEmpty) {
    name = kind + "." + std::string(strings_.view(key.group)) + "." + plain;
    if (take(key.name_space, name)) return name;
  }
  std::string numbered;
  for (int64_t number = 2;; ++number) {
    numbered = name + "-" + std::to_string(number);
    if (take(key.name_space, numbered)) return numbered;
  }
}

bool GangNames::take(StrId name_space, const std::string& name) {
  StrId known = strings_.find(name);
  if (known.valid() && claims_.contains(claim_key(name_space, known))) return false;
  return taken_.insert(std::string(strings_.view(name_space)) + "/" + name).second;
}

}  // namespace trellis
