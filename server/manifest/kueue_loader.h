// Kueue's objects, and DaemonSets, into their records.
#pragma once

#include <string>

#include "server/manifest/decode_pod.h"
#include "server/manifest/field_reader.h"
#include "server/manifest/kinds.h"
#include "server/manifest/kueue_records.h"
#include "server/manifest/record_keeper.h"

namespace trellis {

// An object whose head has been read.
struct NamedObject {
  Value object;
  Meta meta;
  std::string name;
};

// False: it is of no such kind.
bool add_kueue_record(NamedObject named, KindId kind, PodDecoder& pods, FieldReader& fields,
                      const RecordKeeper& keeper, KueueRecords& records);

}  // namespace trellis
