#include "server/manifest/snapshot_input.h"

#include "server/manifest/input_files.h"
#include "server/snapshot/record_codec.h"
#include "server/snapshot/record_structure.h"

namespace trellis {

bool is_of_this_program(const SnapshotParts& parts) {
  return parts.program == snapshot_program() && parts.structure == structure_of_records();
}

Diagnostic other_program(const std::string& name, const SnapshotParts& parts) {
  return {.severity = Severity::Note,
          .file = name,
          .found = "written by " + parts.program +
                   ": its texts are read, which takes longer, until 'trellis snapshot save' of " +
                   snapshot_program() + " has made it again"};
}

std::optional<InputRecords> add_records(const PackedPart& records, uint32_t first_file,
                                        Vocabulary& vocabulary, ObjectLoader& loader) {
  Result<std::string> bytes = unpack_part(records, kMostFileBytes);
  if (!bytes || !keeps_order(*bytes, vocabulary)) return std::nullopt;
  std::optional<InputRecords> input = read_records(*bytes, first_file, vocabulary);
  if (!input || !loader.add_all(*input)) return std::nullopt;
  return input;
}

std::string pack_snapshot(SnapshotWriter& writer, const InputRecords& records,
                          const Vocabulary& vocabulary) {
  return writer.finish(write_records(records, vocabulary), structure_of_records(),
                       snapshot_program());
}

}  // namespace trellis
