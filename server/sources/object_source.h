// Where the service's objects come from, as the cycles see it: files, or a Kubernetes API server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/vocabulary.h"
#include "server/manifest/manifest.h"
#include "server/sources/bell.h"
#include "server/sources/object_diff.h"
#include "server/sources/source_texts.h"

namespace trellis {

struct SourceUpdate {
  ObjectDiff diff;
  TextChanges texts;  // that the objects are read from
  // All that is wrong with the input now.
  std::shared_ptr<const std::vector<Diagnostic>> diagnostics;
};

// Whether nodes have NUMA zones. Ignored: they are not asked for; Sought: pods are judged by zones
// where no node has any, too.
enum class Zones : uint8_t { Read, Ignored, Sought };

// What happens to a cycle's decisions before the next cycle.
enum class ExecutionMode : uint8_t {
  Simulate,  // nothing carries them out: the cluster changes as if they had happened
  DryRun,    // they are shown only: the cluster stays as it is read
  Assume,    // they are carried out, and assumed until the objects confirm or contradict them
};

class ObjectSource {
 public:
  virtual ~ObjectSource() = default;

  // nullopt: nothing changed. Interns what is new into `vocabulary`, the one that the last
  // read_all() was about, or always the same one.
  virtual std::optional<SourceUpdate> poll(Vocabulary& vocabulary) = 0;
  // All that was read so far, as it was read, for a cluster that is rebuilt with this vocabulary.
  // nullopt: it cannot be, and nothing has changed. REQUIRES: no update that was not applied.
  virtual std::optional<ObjectDiff> read_all(Vocabulary&) { return std::nullopt; }
  // Rung when a poll may find something; null: it is to be polled to find out.
  virtual std::shared_ptr<Bell> bell() { return nullptr; }
  // False: not all is read yet, so that nothing may be decided. Once true, it stays so.
  virtual bool ready() const = 0;

  // What was assumed of these came to nothing: with the next poll they are as they are read,
  // changed or not. Where decisions are not assumed there is nothing to forget.
  virtual void forget(Forgotten) {}

  // Both from the next poll on, which reads again.
  virtual void set_zones(Zones zones) = 0;
  virtual void set_scheduler_names(std::vector<std::string> names) = 0;

  virtual ExecutionMode mode() const = 0;
  virtual int64_t files_read() const = 0;  // so far
};

}  // namespace trellis
