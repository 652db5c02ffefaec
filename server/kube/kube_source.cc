#include "server/kube/kube_source.h"

#include <utility>

#include "server/process_memory.h"

namespace trellis {
namespace {

// Of the time since everything was last read, at most one part in so many is spent on reading
// everything again.
constexpr int kRest = 4;

}  // namespace

// Nothing may be decided before everything is read anew, so that is not put off.
void KubeSource::forget(Forgotten forgotten) {
  if (forgotten.everything) not_before_ = {};
  reading_.forget(std::move(forgotten));
}

std::optional<SourceUpdate> KubeSource::poll(Vocabulary& vocabulary) {
  using Clock = std::chrono::steady_clock;
  if (!watch_->synced()) return std::nullopt;
  reading_.note(watch_->take_changes());
  Clock::time_point begin = Clock::now();
  bool everything = reading_.has_everything() && begin >= not_before_;
  if (!everything && (!reading_.has_read() || !reading_.has_parts())) return std::nullopt;
  SourceUpdate update = reading_.read(
      everything ? LinkedReading::Extent::Everything : LinkedReading::Extent::Parts, vocabulary);
  if (reading_.extent() == LinkedReading::Extent::Parts) return update;
  Clock::time_point end = Clock::now();
  not_before_ = end + kRest * (end - begin);
  // To read everything takes several times the memory of what comes of it.
  release_free_memory();
  return update;
}

std::optional<ObjectDiff> KubeSource::read_anew(Vocabulary& vocabulary) {
  if (!reading_.has_read()) return std::nullopt;
  return all_staying(reading_.read_anew(vocabulary));
}

}  // namespace trellis
