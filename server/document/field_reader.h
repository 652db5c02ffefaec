// Reads an object's fields and checks their types: a field that is present but wrong is reported.
//
// What an error drops: a wrong field reads as if it were absent. A part (an item of a list) that
// lacks its name is left out: name(). The row of its kind decides about the object itself
// (record_keeper.h). So a record never holds an invalid id where it must have a valid one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "framework/resources.h"
#include "framework/selectors.h"
#include "framework/time.h"
#include "framework/vocabulary.h"
#include "server/document/document.h"
#include "server/document/report.h"

namespace trellis {

// An amount of one pod or node (at most kMaxAmount), or of many of them (at most kMaxSum).
enum class AmountOf : uint8_t { One, Many };

// Kubernetes' bound.
inline constexpr size_t kLongestLabelValue = 63;

enum class DurationSign : uint8_t { NotNegative, Any };

// Whether a resource that the vocabulary does not have is added to it, or left out and counted.
enum class NewResources : uint8_t { Added, LeftOut };

class DependencyRecorder;

class FieldReader {
 public:
  // `dependencies`: records the names that are read (objects/dependency_recorder.h); null: none.
  FieldReader(Vocabulary& vocabulary, Report& report, DependencyRecorder* dependencies = nullptr)
      : vocabulary_(vocabulary), report_(report), dependencies_(dependencies) {}

  // Reads a text inside an object that `around` reads: findings go to a report of its own.
  // REQUIRES: merge(), behind it.
  FieldReader(FieldReader& around, Report& report)
      : vocabulary_(around.vocabulary_), report_(report), new_resources_(around.new_resources_) {}
  // What counts beyond the text inside.
  void merge(const FieldReader& inside) { has_left_out_ = has_left_out_ || inside.has_left_out_; }

  // REQUIRES: nothing was read yet.
  void leave_out_new_resources() { new_resources_ = NewResources::LeftOut; }
  bool has_left_out() const { return has_left_out_; }

  Vocabulary& vocabulary() { return vocabulary_; }
  Report& report() { return report_; }
  DependencyRecorder* dependencies() { return dependencies_; }
  StrId intern(std::string_view text) { return vocabulary_.strings.intern(text); }
  StrId intern_if(std::string_view text) { return text.empty() ? StrId() : intern(text); }

  void error(Value at, std::string found, std::string expected, std::string nearest = "");
  void missing(Value parent, std::string_view key, std::string expected);

  // The name of a part or an object, or another string that it must have; not empty. nullopt, and
  // an error: the caller leaves out the part that would have had it.
  std::optional<StrId> name(Value parent, std::string_view key, std::string expected);

  // A null reads as if the field were absent.
  std::string_view string(Value parent, std::string_view key);
  Value object(Value parent, std::string_view key);
  Value list(Value parent, std::string_view key);
  // The same; a list of more than `most` items is reported, and reads as if it were absent.
  Value list(Value parent, std::string_view key, size_t most);
  bool boolean(Value parent, std::string_view key, bool otherwise = false);
  std::optional<int64_t> integer(Value parent, std::string_view key, int64_t low, int64_t high);
  std::optional<double> number(Value parent, std::string_view key);
  TimeUs time(Value parent, std::string_view key);  // kNoTime when there is none
  // A string such as "1m30s"; an empty string reads as if the field were absent.
  std::optional<TimeUs> duration(Value value, DurationSign sign);
  // A value is at most kLongestLabelValue characters long.
  Labels labels(Value parent, std::string_view key);

  // One of `words`; "" when absent or wrong.
  std::string_view word(Value parent, std::string_view key,
                        std::span<const std::string_view> words);

  // An amount in the unit of the resource, never negative; 0 when it cannot be read. An amount that
  // should be a whole number and is not is reported and rounded up.
  int64_t amount(Value value, ResourceId resource, AmountOf of = AmountOf::One);
  ResourceList resources(Value map, AmountOf of = AmountOf::One);
  // kNone, and an error, when the input names too many resources already.
  ResourceId resource(Value at, std::string_view name);

  // Reports members whose key is not among `words`: an error when the key looks like a misspelling
  // of one of them (or `strict`), else a warning, as later versions may have more keys.
  void known_keys(Value object, std::span<const std::string_view> words, bool strict = false);

  // Warns of members whose key looks like a misspelling of one of `words`; other keys are ignored.
  // REQUIRES: `words` are sorted.
  void slips(Value object, std::span<const std::string_view> words);

  // newest() is the newest time that was read; see_time() adds a time that was read elsewhere.
  TimeUs newest() const { return newest_; }
  void see_time(TimeUs time);

 private:
  Vocabulary& vocabulary_;
  Report& report_;
  DependencyRecorder* dependencies_ = nullptr;
  TimeUs newest_ = kNoTime;
  NewResources new_resources_ = NewResources::Added;
  bool has_left_out_ = false;
};

// The keys of an object of a kind that has a spec.
inline constexpr std::array<std::string_view, 5> kObjectKeys = {"apiVersion", "kind", "metadata",
                                                                "spec", "status"};

// What a message expects where a string is missing: for a number or a boolean with a note that the
// quotes were probably forgotten.
std::string expected_string(Value found);

}  // namespace trellis
