// An object as it was decoded once, to be added to each reading that needs it.
//
// Guarantees: immutable; holds no part of the text that it was decoded from. Adding it to a reading
// (ObjectLoader::add()) has the result of decoding the text in that reading.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/time.h"
#include "server/document/diagnostic.h"
#include "server/document/place.h"
#include "server/objects/record_lists.h"
#include "server/objects/records.h"

namespace trellis {

// What distinguishes an object from all others.
struct Identity {
  ObjectKey key;  // of a topology without the group
  SourcePos pos;
  bool namespaced = false;
  bool topology = false;
  uint32_t name_line = 0;  // of its name
};

// What few objects have.
struct DecodedNotes {
  std::optional<std::pair<ObjectKey, StrId>> pool;  // the value of the shard's label
  std::vector<Diagnostic> diagnostics;
};

struct DecodedObject {
  Identity identity;
  TimeUs newest = kNoTime;
  KeptRecords records;
  std::unique_ptr<const DecodedNotes> notes;  // null: none
};

}  // namespace trellis
