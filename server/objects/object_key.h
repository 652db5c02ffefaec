// Hash maps and sets of object keys; for look-ups only, never iterated.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>

#include "server/objects/records.h"

namespace trellis {

struct ObjectKeyHash {
  size_t operator()(const ObjectKey& key) const {
    uint64_t a = uint64_t{key.group.value} << 32 | key.kind.value;
    uint64_t b = uint64_t{key.name_space.value} << 32 | key.name.value;
    uint64_t mixed = (a * 0x9E3779B97F4A7C15) ^ b;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93;
    return mixed ^ (mixed >> 32);
  }
};

template <class T>
using ObjectMap = absl::flat_hash_map<ObjectKey, T, ObjectKeyHash>;
using ObjectSet = absl::flat_hash_set<ObjectKey, ObjectKeyHash>;

}  // namespace trellis
