// All that an input was decoded to, before its objects are linked: what a snapshot's records hold.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/time.h"
#include "server/document/diagnostic.h"
#include "server/objects/kueue_records.h"
#include "server/objects/records.h"

namespace trellis {

// An object that was read, whether or not it has a record.
struct ReadObject {
  ObjectKey key;  // as ObjectLoader distinguishes objects
  SourcePos pos;
};

struct InputRecords {
  std::vector<std::string> files;  // by the number that locations have
  Records records;
  KueueRecords kueue;
  std::vector<ReadObject> objects;                      // by location
  std::vector<std::pair<uint64_t, int32_t>> generated;  // how often content had its name generated
  std::vector<Diagnostic> diagnostics;                  // of decoding
  TimeUs newest = kNoTime;
};

}  // namespace trellis
