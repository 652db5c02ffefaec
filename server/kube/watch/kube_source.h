// A live cluster as a source of objects. A DecisionSink carries decisions out.
//
// Objects that changed are read at once, with those that they reach
// (server/sources/incremental_reading.h). Where that is everything, at most a fifth of the time is
// spent on reading it again. Cost: that of IncrementalReading; a poll where nothing changed,
// O(kinds).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/kube/watch/cluster_watch.h"
#include "server/sources/incremental_reading.h"
#include "server/sources/object_source.h"

namespace trellis {

class KubeSource : public ObjectSource {
 public:
  struct Options {
    ExecutionMode mode = ExecutionMode::Assume;
    std::optional<Shard> shard;  // the part of the cluster that is seen; none: all
    GpuFractions gpu_fractions = GpuFractions::Placed;
  };
  KubeSource(std::shared_ptr<ClusterWatch> watch, Options options)
      : watch_(std::move(watch)),
        mode_(options.mode),
        gpu_fractions_(options.gpu_fractions),
        reading_(std::move(options.shard)) {
    configure({});
  }

  std::optional<SourceUpdate> poll(Vocabulary& vocabulary) override;
  std::optional<ObjectDiff> read_all(Vocabulary& vocabulary) override;
  bool ready() const override { return reading_.has_read(); }
  std::shared_ptr<Bell> bell() override { return watch_->bell(); }
  void forget(Forgotten forgotten) override;
  void configure(ReadingSettings settings) override {
    settings.gpu_fractions = gpu_fractions_;
    reading_.configure(std::move(settings));
  }
  ExecutionMode mode() const override { return mode_; }
  int64_t files_read() const override { return 0; }

 private:
  using Diagnostics = std::shared_ptr<const std::vector<Diagnostic>>;
  Diagnostics with_unknown_versions(Diagnostics of_objects);

  std::shared_ptr<ClusterWatch> watch_;
  ExecutionMode mode_;
  GpuFractions gpu_fractions_;
  IncrementalReading reading_;
  std::chrono::steady_clock::time_point not_before_;
  std::vector<UnknownVersions> unknown_;  // as the diagnostics last reported them
  Diagnostics of_objects_;                // the last ones, of the objects alone
  Diagnostics reported_;                  // the last ones, with those of unknown versions
};

}  // namespace trellis
