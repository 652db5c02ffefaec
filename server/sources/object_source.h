// The interface between the service's cycles and the source of its objects: files, or a Kubernetes
// API server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/vocabulary.h"
#include "server/manifest/reading_settings.h"
#include "server/sources/bell.h"
#include "server/sources/object_diff.h"
#include "server/sources/source_texts.h"

namespace trellis {

struct SourceUpdate {
  ObjectDiff diff;
  TextChanges texts;  // that the objects are read from
  // All current diagnostics of the input.
  std::shared_ptr<const std::vector<Diagnostic>> diagnostics;
};

// What happens to a cycle's decisions before the next cycle.
enum class ExecutionMode : uint8_t {
  Simulate,  // nothing carries them out: the cluster changes as if they had happened
  DryRun,    // they are only shown: the cluster stays as it is read
  Assume,    // they are carried out, and assumed until the objects confirm or contradict them
};

class ObjectSource {
 public:
  virtual ~ObjectSource() = default;

  // nullopt: nothing changed. Interns new names into `vocabulary`. REQUIRES: `vocabulary` is that
  // of the last read_all(), else always the same one.
  virtual std::optional<SourceUpdate> poll(Vocabulary& vocabulary) = 0;
  // All objects as of the last poll, for a cluster that is rebuilt with this vocabulary. nullopt:
  // the source cannot do this, and its state is unchanged. REQUIRES: all updates were applied.
  virtual std::optional<ObjectDiff> read_all(Vocabulary&) { return std::nullopt; }
  // Rings when a poll may find something; null: only a poll shows whether something changed.
  virtual std::shared_ptr<Bell> bell() { return nullptr; }
  // False: not all objects are read yet, so that nothing may be decided. Once true, it stays true.
  virtual bool ready() const = 0;

  // Drops what was assumed about these objects: the next poll returns them as they are read,
  // changed or not. Does nothing where decisions are not assumed.
  virtual void forget(Forgotten) {}

  // Takes effect with the next poll, which reads all objects again if the settings changed.
  virtual void configure(ReadingSettings settings) = 0;

  virtual ExecutionMode mode() const = 0;
  virtual int64_t files_read() const = 0;  // so far
};

}  // namespace trellis
