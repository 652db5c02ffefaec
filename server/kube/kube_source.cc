#include "server/kube/kube_source.h"

#include <utility>

namespace trellis {
namespace {

// Of the time since the last reading, at most one part in so many is spent on reading.
constexpr int kRest = 4;

}  // namespace

// Here a Job has the pods that its controller made.
ReadOptions KubeSource::live_options(std::optional<Shard> shard) {
  ReadOptions options;
  options.shard = std::move(shard);
  options.make_pods = false;
  return options;
}

// Nothing may be decided before everything is read anew, so that is not put off.
void KubeSource::forget(Forgotten forgotten) {
  if (forgotten.everything) not_before_ = {};
  reading_.forget(std::move(forgotten));
}

std::optional<SourceUpdate> KubeSource::poll(Vocabulary& vocabulary) {
  using Clock = std::chrono::steady_clock;
  if (!watch_->synced()) return std::nullopt;
  // Before the texts: what changes in between is seen by the next look.
  int64_t version = watch_->version();
  if (version == read_version_ && !reading_.stale()) return std::nullopt;
  Clock::time_point begin = Clock::now();
  if (begin < not_before_) return std::nullopt;
  std::vector<NamedText> texts = watch_->texts();
  SourceUpdate update = reading_.read(texts, vocabulary);
  update.diagnostics = std::make_shared<const std::vector<Diagnostic>>(reading_.diagnostics());
  read_version_ = version;
  Clock::time_point end = Clock::now();
  not_before_ = end + kRest * (end - begin);
  return update;
}

}  // namespace trellis
