// A live cluster as a source of objects. What becomes of decisions is somebody else's matter.
//
// What changed makes all objects be read again, as files are, but not more often than they can be
// read in a fifth of the time. Cost: as FileSource's; a look where nothing changed, O(kinds).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/kube/cluster_watch.h"
#include "server/serve/object_reading.h"
#include "server/serve/object_source.h"

namespace trellis {

class KubeSource : public ObjectSource {
 public:
  // `shard`: what is seen of the cluster; none: all.
  KubeSource(std::shared_ptr<const ClusterWatch> watch, Decisions decisions,
             std::optional<Shard> shard)
      : watch_(std::move(watch)), decisions_(decisions), reading_(live_options(std::move(shard))) {}

  std::optional<SourceUpdate> poll(Vocabulary& vocabulary) override;
  bool ready() const override { return read_version_.has_value(); }
  void forget(Forgotten forgotten) override;
  void set_zones(Zones zones) override { reading_.set_zones(zones); }
  void set_scheduler_names(std::vector<std::string> names) override {
    reading_.set_scheduler_names(std::move(names));
  }
  Decisions decisions() const override { return decisions_; }
  int64_t files_read() const override { return 0; }

 private:
  static ReadOptions live_options(std::optional<Shard> shard);

  std::shared_ptr<const ClusterWatch> watch_;
  Decisions decisions_;
  ObjectReading reading_;
  std::optional<int64_t> read_version_;  // of the watch; none: nothing was read yet
  std::chrono::steady_clock::time_point not_before_;
};

}  // namespace trellis
