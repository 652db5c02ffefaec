// Snapshot files (server/snapshot/snapshot_file.h) as inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/vocabulary.h"
#include "server/document/diagnostic.h"
#include "server/manifest/object_loader.h"
#include "server/snapshot/input_records.h"
#include "server/snapshot/snapshot_file.h"

namespace trellis {

// Whether this program would make the same records of the texts: it wrote the file itself.
bool is_of_this_program(const SnapshotParts& parts);

// The note that the texts are read, since another program wrote the file.
Diagnostic other_program(const std::string& name, const SnapshotParts& parts);

// Adds the records to the loader, and returns what is not for the loader: the names of files, by
// number from `first_file`, and the diagnostics. nullopt, and nothing was added: the texts must be
// read, since other inputs have some of the objects or have names in another order.
std::optional<InputRecords> add_records(const PackedPart& records, uint32_t first_file,
                                        Vocabulary& vocabulary, ObjectLoader& loader);

// The file, of the texts that `writer` was given and what was made of them.
std::string pack_snapshot(SnapshotWriter& writer, const InputRecords& records,
                          const Vocabulary& vocabulary);

}  // namespace trellis
