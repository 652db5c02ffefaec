// Files in, records out: everything that `-f` names, read, decoded, grouped into gangs and checked.
//
// Guarantees: never throws, never aborts on any input; what cannot be understood makes a diagnostic
// and leaves the rest usable. The records do not depend on the order of files or objects in them
// (but of two objects with one name the first stays). Pods, nodes, gangs, queues and topologies are
// sorted by namespace, then name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/time.h"
#include "framework/vocabulary.h"
#include "server/manifest/diagnostic.h"
#include "session/objects.h"

namespace trellis {

struct ReadOptions {
  std::vector<std::string> scheduler_names;  // pods of others are held; empty: every pod is ours
  bool keep_raw = false;                     // keep the objects' text, for --save
  std::function<void(int64_t bytes_done, int64_t bytes_total)> progress;  // may be empty
  int64_t max_expanded_pods = 1'000'000;                                  // of all Jobs together
  std::optional<std::string> standard_input = {};  // read already; none: read when `-` is named
};

// An object as it was read, or a pod that a Job was expanded into.
struct RawObject {
  std::string kind;
  std::string name_space;  // empty for a kind without namespaces
  std::string name;        // generated where the object has only a generateName
  std::string json;        // one line, without managedFields
};

struct Manifest {
  Objects objects;
  std::vector<Diagnostic> diagnostics;  // by file and place; what concerns all files comes last
  TimeUs newest_timestamp = kNoTime;    // kNoTime: the input holds none
  std::vector<RawObject> raw;           // by kind, namespace, name; only with keep_raw

  bool has_errors() const;
};

// `paths` are files, directories, or "-" for standard input.
Manifest read_manifest(const std::vector<std::string>& paths, Vocabulary& vocabulary,
                       const ReadOptions& options = {});

// The same for text that is in memory; `file` is the name that diagnostics show.
Manifest read_manifest_text(std::string_view file, std::string_view text, Vocabulary& vocabulary,
                            const ReadOptions& options = {});

}  // namespace trellis
