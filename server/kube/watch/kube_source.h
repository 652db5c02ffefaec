// A live cluster as a source of objects. What becomes of decisions is up to a DecisionSink.
//
// What changed is read at once, with what it reaches (serve/linked_reading.h). Where that is
// everything, it is not read more often than it can be in a fifth of the time. Cost: as
// LinkedReading's; a look where nothing changed, O(kinds).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/kube/watch/cluster_watch.h"
#include "server/sources/linked_reading.h"
#include "server/sources/object_source.h"

namespace trellis {

class KubeSource : public ObjectSource {
 public:
  struct Options {
    ExecutionMode mode = ExecutionMode::Assume;
    std::optional<Shard> shard;  // what is seen of the cluster; none: all
    GpuFractions gpu_fractions = GpuFractions::Placed;
  };
  KubeSource(std::shared_ptr<ClusterWatch> watch, Options options)
      : watch_(std::move(watch)), mode_(options.mode), reading_(std::move(options.shard)) {
    reading_.set_gpu_fractions(options.gpu_fractions);
  }

  std::optional<SourceUpdate> poll(Vocabulary& vocabulary) override;
  std::optional<ObjectDiff> read_all(Vocabulary& vocabulary) override;
  bool ready() const override { return reading_.has_read(); }
  std::shared_ptr<Bell> bell() override { return watch_->bell(); }
  void forget(Forgotten forgotten) override;
  void set_zones(Zones zones) override { reading_.set_zones(zones); }
  void set_scheduler_names(std::vector<std::string> names) override {
    reading_.set_scheduler_names(std::move(names));
  }
  ExecutionMode mode() const override { return mode_; }
  int64_t files_read() const override { return 0; }

 private:
  using Diagnostics = std::shared_ptr<const std::vector<Diagnostic>>;
  Diagnostics with_unknown_versions(Diagnostics of_objects);

  std::shared_ptr<ClusterWatch> watch_;
  ExecutionMode mode_;
  LinkedReading reading_;
  std::chrono::steady_clock::time_point not_before_;
  std::vector<UnknownVersions> unknown_;  // as diagnostics told of them last
  Diagnostics of_objects_;                // the last ones, of the objects alone,
  Diagnostics told_;                      // and with what is said of versions
};

}  // namespace trellis
