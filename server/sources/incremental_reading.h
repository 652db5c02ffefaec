// Turns changes of a live cluster's texts into changes of its objects.
//
// Each text is decoded once, when it comes. For each change, the part of the cluster that the
// change can affect (text_graph.h) is linked twice by the reader of server/manifest: with its
// decoded objects of the last reading, and with those of now. The difference is the change of the
// objects, so that no linked object is stored here. Everything is
// read in this way
//  - when a far-reaching object changes: a queue, topology, class, flavor, cohort, check, ...,
//  - when a setting changes, or all that was assumed is to be forgotten,
//  - when a workload is to be forgotten that has no text of its own, being made of its owner,
//  - when the first node gets zones or the last one loses them, or the first LocalQueue is added or
//    the last one removed.
// Diagnostics follow the texts that they are about. A diagnostic about the whole input, such as
// "skipped", is the one of the last time that everything was read.
//
// Cost: to note a change, O(bytes of its text); to read, O(objects of the part and far-reaching
// objects). Memory: the text and the decoded object of each text.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/manifest/text_decoder.h"
#include "server/sources/object_source.h"
#include "server/sources/text_graph.h"

namespace trellis {

class IncrementalReading {
 public:
  // `shard`: the shard whose objects are read; none: the whole cluster.
  explicit IncrementalReading(std::optional<Shard> shard = std::nullopt)
      : shard_(shard), decoder_(std::move(shard)) {}

  void configure(ReadingSettings settings) { settings_ = std::move(settings); }
  // As ObjectSource::forget().
  void forget(Forgotten forgotten);

  // A change without a text: the object is gone. The last change of a name counts.
  // Decodes the text with ids of `vocabulary`, which read() must use, too.
  void note(std::vector<NamedText> changes, Vocabulary& vocabulary);
  // Whether some changes can be read by parts.
  bool has_parts() const {
    return parts_ > 0 || !forgotten_.pods.empty() || !forgotten_.workloads.empty();
  }
  // Whether some change makes it necessary to read everything.
  bool has_everything() const;

  enum class Extent : uint8_t { Parts, Everything };
  // Reads the noted changes: those that can be read by parts, or all of them.
  SourceUpdate read(Extent extent, Vocabulary& vocabulary);
  // All objects of the last reading, with ids of `vocabulary`, which later readings must use.
  Objects read_all(Vocabulary& vocabulary);
  // The extent of the last reading; a reading of parts may have become one of everything.
  Extent extent() const { return extent_; }
  bool has_read() const { return has_read_; }

 private:
  using Number = TextGraph::Number;
  struct Change {
    Number number = 0;     // of the text
    StoredText text;       // none: the object is gone
    uint64_t content = 0;  // of the text; 0: not computed yet
    DecodedText decoded;
    bool far_reaching = false;
  };
  struct Reading {
    Manifest before;
    Manifest after;
    std::vector<Number> reached;
  };

  void note(NamedText change, Vocabulary& vocabulary);
  void withdraw(Number number);
  uint64_t content_of_text(Number number);
  bool is_far_reaching(Number number, const Dependencies& dependencies) const;
  std::vector<Change*> expect(Extent extent);
  bool find_texts(const Forgotten& forgotten, std::vector<Number>& numbers) const;
  Manifest read_as(const std::vector<TextPart>& parts, const ReadingSettings& settings,
                   Extent extent, Vocabulary& vocabulary) const;
  Reading read_both(Extent extent, std::span<Change* const> changes,
                    std::span<const Number> forgotten, Vocabulary& vocabulary) const;
  bool flips(std::span<Change* const> changes) const;
  int64_t zoned_after(Extent extent, const Reading& reading) const;
  void settle(std::span<Change* const> changes);
  void take_diagnostics(Reading& reading);
  void list_diagnostics();

  std::optional<Shard> shard_;
  TextDecoder decoder_;
  ReadingSettings settings_;
  ReadingSettings read_settings_;              // of the last reading
  ReadingSettings next_settings_;              // of the reading that is in progress
  TextGraph texts_;                            // as of the last reading
  std::vector<Change> changes_;                // each text once, in any order
  absl::flat_hash_map<Number, size_t> noted_;  // where in changes_ a text is
  int64_t parts_ = 0;                          // changes that are not far-reaching
  Forgotten forgotten_;
  std::vector<NamedText> handed_over_;  // changes of texts for the next SourceUpdate
  int64_t zoned_nodes_ = 0;
  std::map<std::string, std::vector<Diagnostic>> diagnostics_;  // by text; "": whole input
  std::shared_ptr<const std::vector<Diagnostic>> listed_;
  Extent extent_ = Extent::Everything;
  bool has_read_ = false;
};

}  // namespace trellis
