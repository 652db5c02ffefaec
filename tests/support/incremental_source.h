// A live cluster's objects by name, as KubeSource reads them, without a server.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/sources/incremental_reading.h"
#include "server/sources/object_source.h"

namespace trellis::test {

class IncrementalSource : public ObjectSource {
 public:
  // By what the server calls them: "pods/NAMESPACE/NAME", "workloads.kueue.x-k8s.io/...".
  using Texts = std::map<std::string, std::string>;

  explicit IncrementalSource(ExecutionMode mode) : mode_(mode) {}

  std::optional<SourceUpdate> poll(Vocabulary& vocabulary) override {
    if (!ready()) return std::nullopt;
    note(vocabulary);
    bool everything = reading_.has_everything();
    if (!everything && !reading_.has_parts()) return std::nullopt;
    return reading_.read(
        everything ? IncrementalReading::Extent::Everything : IncrementalReading::Extent::Parts,
        vocabulary);
  }
  std::optional<ObjectDiff> read_all(Vocabulary& vocabulary) override {
    return all_staying(reading_.read_all(vocabulary));
  }
  bool ready() const override { return true; }
  void configure(ReadingSettings settings) override { reading_.configure(std::move(settings)); }
  void forget(Forgotten forgotten) override { reading_.forget(std::move(forgotten)); }
  ExecutionMode mode() const override { return mode_; }
  int64_t files_read() const override { return 0; }

 protected:
  virtual Texts texts() const = 0;

 private:
  void note(Vocabulary& vocabulary) {
    Texts now = texts();
    std::vector<NamedText> changes;
    for (const auto& [name, text] : now) {
      auto noted = noted_.find(name);
      if (noted != noted_.end() && noted->second == text) continue;
      changes.push_back({name, StoredText(text)});
    }
    for (const auto& [name, text] : noted_) {
      if (!now.contains(name)) changes.push_back({name, {}});
    }
    reading_.note(std::move(changes), vocabulary);
    noted_ = std::move(now);
  }

  ExecutionMode mode_;
  IncrementalReading reading_;
  Texts noted_;
};

}  // namespace trellis::test
