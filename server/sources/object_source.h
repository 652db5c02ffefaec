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

// Whether nodes have NUMA zones. Ignored: nobody asks for them; Sought: pods are judged by zones
// where no node has any, too.
enum class Zones : uint8_t { Read, Ignored, Sought };

// What becomes of a cycle's decisions before the next one: nobody else carries them out, so that
// time passes for the pods as they say; they are only shown, and the objects stay as they are read;
// or somebody carries them out, and they are taken for true until the objects say otherwise.
enum class Decisions : uint8_t { ComeTrue, AreShown, AreAssumed };

class ObjectSource {
 public:
  virtual ~ObjectSource() = default;

  // nullopt: nothing changed. Interns what is new into `vocabulary`, the one that the last
  // read_anew() was about, or always the same one.
  virtual std::optional<SourceUpdate> poll(Vocabulary& vocabulary) = 0;
  // All that was read so far, as it was read, for a cluster that begins anew with this vocabulary.
  // nullopt: it cannot be, and nothing has changed. REQUIRES: no update that was not applied.
  virtual std::optional<ObjectDiff> read_anew(Vocabulary&) { return std::nullopt; }
  // Rung when a poll may find something; null: it is to be polled to find out.
  virtual std::shared_ptr<Bell> bell() { return nullptr; }
  // False: not all is read yet, so that nothing may be decided. Once true, it stays so.
  virtual bool ready() const = 0;

  // What was assumed of these came to nothing: with the next poll they are as they are read,
  // changed or not. Where decisions are not assumed there is nothing to forget.
  virtual void forget(Forgotten) {}

  // Both from the next poll on, which reads anew.
  virtual void set_zones(Zones zones) = 0;
  virtual void set_scheduler_names(std::vector<std::string> names) = 0;

  virtual Decisions decisions() const = 0;
  virtual int64_t files_read() const = 0;  // so far
};

}  // namespace trellis
