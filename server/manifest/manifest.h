// Reads everything that `-f` names and makes records: decoded, grouped into gangs and checked.
//
// Guarantees: never throws, never aborts on any input; what cannot be understood makes a diagnostic
// and leaves the rest usable. The records do not depend on the order of files or objects in them
// (but of two objects with one name the first stays). Records are sorted by namespace, then name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/shared_text.h"
#include "framework/time.h"
#include "framework/vocabulary.h"
#include "server/document/diagnostic.h"
#include "server/manifest/reading_settings.h"
#include "server/objects/cycle_object.h"
#include "server/objects/raw_object.h"
#include "server/text/stored_text.h"
#include "session/cluster/objects.h"

namespace trellis {

// A text in memory; diagnostics show its name.
struct NamedText {
  SharedText name;
  StoredText text;
};

struct ReadOptions {
  bool keep_raw = false;  // keep the objects' text, for --save
  std::function<void(int64_t bytes_done, int64_t bytes_total)> progress;  // may be empty
  int64_t max_expanded_pods = 1'000'000;                                  // of all Jobs together
  std::span<const NamedText> texts = {};  // objects in memory, which are read before the files
  std::optional<std::string> standard_input = {};  // read already; none: read when `-` is named
  bool zones_elsewhere = false;   // nodes that are not in the input may have NUMA zones
  bool queues_elsewhere = false;  // there are queues of workloads that are not in the input
  // Labels of nodes, coarsest first, of a Topology that is made beside those in the input
  // (label_levels.h); empty: none is made.
  std::vector<std::string> levels = {};
  // Objects are decoded by so many threads at once, without any effect on the result.
  int threads = 1;
  size_t most_bytes_alone = size_t{1} << 20;  // texts of more bytes are read by several threads
  bool make_pods = true;  // false: controllers make them, and the input has all they made
  // None: those of the cycle in the input, or of the default configuration.
  std::optional<ReadingSettings> settings = ReadingSettings{};
};

// An owner of a workload: it starts when the workload is admitted, and is suspended when it leaves.
struct WorkloadOwnership {
  std::string name_space;
  std::string workload;
  std::string group;  // of the owner's apiVersion; "" for the core group
  std::string kind;
  std::string name;
  bool made = false;  // the input holds no such Workload: it was made for its owner
};

struct Manifest {
  Objects objects;
  std::vector<WorkloadOwnership> workload_owners;  // by namespace, workload, kind, name
  std::optional<CycleObject> cycle;                // none: the input is of no cycle in particular
  std::vector<Diagnostic> diagnostics;  // by file and position; those about all files come last
  TimeUs newest_timestamp = kNoTime;    // kNoTime: the input holds none
  std::vector<RawObject> raw;           // by kind, namespace, name; only with keep_raw

  bool has_errors() const;
};

// `paths` are files, directories, or "-" for standard input.
Manifest read_manifest(const std::vector<std::string>& paths, Vocabulary& vocabulary,
                       const ReadOptions& options = {});

Manifest read_manifest_texts(std::span<const NamedText> texts, Vocabulary& vocabulary,
                             const ReadOptions& options = {});
Manifest read_manifest_text(std::string_view file, std::string_view text, Vocabulary& vocabulary,
                            const ReadOptions& options = {});

// The errors of a file by itself, whatever other files contain.
std::vector<Diagnostic> check_manifest_text(std::string_view file, std::string_view text);

}  // namespace trellis
