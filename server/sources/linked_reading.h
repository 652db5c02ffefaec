// Turns changes of a live cluster's texts into changes of its objects.
//
// A change makes the part of all that it can reach (linked_texts.h) be read twice by the one reader
// that there is: as its texts were at the last reading, and as they are now. What differs is what
// became of the objects, so that none of them is kept here. Everything is read in this way
//  - when a far-reaching object changes: a queue, topology, class, flavor, cohort, check, ...,
//  - when a setting changes, or all that was assumed is to be forgotten,
//  - when the first node gets zones or the last one loses them, and so with LocalQueues.
// Diagnostics follow the texts that they are about. What is said once for the whole input, as
// "skipped", is as of the last time that everything was read.
//
// Cost: O(the part) and the far-reaching objects; to note a change, O(bytes of its text).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/sources/linked_texts.h"
#include "server/sources/object_source.h"
#include "server/sources/read_objects.h"

namespace trellis {

class LinkedReading {
 public:
  // `shard`: of which the objects are; none: of all of the cluster.
  explicit LinkedReading(std::optional<Shard> shard = std::nullopt) : shard_(std::move(shard)) {}

  void set_zones(Zones zones) { settings_.zones = zones; }
  void set_scheduler_names(std::vector<std::string> names) {
    settings_.scheduler_names = std::move(names);
  }
  void set_gpu_fractions(GpuFractions fractions) { settings_.gpu_fractions = fractions; }
  // As ObjectSource's.
  void forget(Forgotten forgotten);

  // Without a text: it is gone. The last word about a name holds.
  void note(std::vector<NamedText> changes);
  // What there is to be read by parts, and what makes it necessary to read everything.
  bool has_parts() const {
    return parts_ > 0 || !forgotten_.pods.empty() || !forgotten_.workloads.empty();
  }
  bool has_everything() const;

  enum class Extent : uint8_t { Parts, Everything };
  // Of what was noted, what may be read by parts; or all.
  SourceUpdate read(Extent extent, Vocabulary& vocabulary);
  // All that was read, as it was read, in the ids of a vocabulary that readings use from now on.
  Objects read_all(Vocabulary& vocabulary) const;
  // What the last reading came to: parts may turn out to be everything.
  Extent extent() const { return extent_; }
  bool has_read() const { return has_read_; }

 private:
  using Number = LinkedTexts::Number;
  struct Change {
    std::shared_ptr<const std::string> text;
    TextLinks links;
    bool far_reaching = false;
  };
  struct Reading {
    Manifest before;
    Manifest after;
    std::vector<Number> reached;
  };

  using Expected = std::pair<Number, const Change*>;

  void note(NamedText change);
  bool is_far_reaching(const std::string& name, const TextLinks& links) const;
  std::vector<Expected> expect(Extent extent);
  bool find_texts(const Forgotten& forgotten, std::vector<Number>& numbers) const;
  Manifest read_as(const std::vector<NamedText>& texts, const ReadingSettings& settings,
                   Extent extent, Vocabulary& vocabulary) const;
  Reading read_both(Extent extent, std::span<const Expected> changes,
                    std::span<const Number> forgotten, Vocabulary& vocabulary) const;
  bool flips(std::span<const Expected> changes) const;
  int64_t zoned_after(Extent extent, const Reading& reading) const;
  void settle(std::span<const Expected> changes);
  void take_diagnostics(Reading& reading);
  void list_diagnostics();

  std::optional<Shard> shard_;
  ReadingSettings settings_;
  ReadingSettings read_settings_;  // those of the last reading
  ReadingSettings next_settings_;  // those of the reading that is under way
  LinkedTexts texts_;              // as they were read
  std::map<std::string, Change> changes_;
  int64_t parts_ = 0;  // of them, those that do not reach everything
  Forgotten forgotten_;
  std::vector<NamedText> told_;  // what became of the texts, and was not handed over yet
  int64_t zoned_nodes_ = 0;
  std::map<std::string, std::vector<Diagnostic>> diagnostics_;  // by text; "": of the whole
  std::shared_ptr<const std::vector<Diagnostic>> listed_;
  Extent extent_ = Extent::Everything;
  bool has_read_ = false;
};

}  // namespace trellis
