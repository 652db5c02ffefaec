// Decodes Kueue's objects, and DaemonSets, into their records.
#pragma once

#include <string>

#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/kinds.h"
#include "server/objects/kueue_records.h"
#include "server/objects/record_keeper.h"

namespace trellis {

// An object whose head has been read.
struct NamedObject {
  Value object;
  Meta meta;
  std::string name;
};

// False: the object is of no such kind.
bool add_kueue_record(NamedObject named, KindId kind, PodDecoder& pods, FieldReader& fields,
                      const RecordKeeper& keeper, KueueRecords& records);

}  // namespace trellis
