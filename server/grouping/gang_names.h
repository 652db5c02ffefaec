// Names for gangs that come from different kinds of objects.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string>
#include <string_view>

#include "framework/vocabulary.h"
#include "server/objects/records.h"

namespace trellis {

// A gang is named like the object that it comes from. Where several objects of one namespace share
// a name, a PodGroup keeps it and the others become `kind.name`.
class GangNames {
 public:
  explicit GangNames(const Vocabulary& vocabulary) : strings_(vocabulary.strings) {}

  // First announce() every object, then call name() for each, in an order that does not depend on
  // the input's. No two objects get the same name.
  void announce(const ObjectKey& key, bool keeps_name);
  std::string name(const ObjectKey& key, bool keeps_name);

 private:
  struct Claims {
    int count = 0;
    bool kept = false;
  };
  bool take(StrId name_space, const std::string& name);

  const StringTable& strings_;
  absl::flat_hash_map<uint64_t, Claims> claims_;  // by namespace and name
  absl::flat_hash_set<std::string> taken_;        // "namespace/name" of those that were renamed
};

}  // namespace trellis
