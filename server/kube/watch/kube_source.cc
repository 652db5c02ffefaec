#include "server/kube/watch/kube_source.h"

#include <string>
#include <string_view>
#include <utility>

#include "server/system/process.h"

namespace trellis {
namespace {

// The least wait after reading everything, as a multiple of the time that the reading took.
constexpr int kRest = 4;

}  // namespace

// Returns the same list as long as nothing changed, so that a reader can compare its address.
KubeSource::Diagnostics KubeSource::with_unknown_versions(Diagnostics of_objects) {
  std::vector<UnknownVersions> unknown = watch_->unknown_versions();
  if (of_objects == of_objects_ && unknown == unknown_ && reported_) return reported_;
  of_objects_ = std::move(of_objects);
  unknown_ = std::move(unknown);
  reported_ = of_objects_;
  if (unknown_.empty()) return reported_;
  auto all = std::make_shared<std::vector<Diagnostic>>(*of_objects_);
  for (const UnknownVersions& one : unknown_) all->push_back(to_diagnostic(one));
  reported_ = std::move(all);
  return reported_;
}

// Nothing may be decided before everything is read again, so the reading is not delayed.
void KubeSource::forget(Forgotten forgotten) {
  if (forgotten.everything) not_before_ = {};
  reading_.forget(std::move(forgotten));
}

std::optional<SourceUpdate> KubeSource::poll(Vocabulary& vocabulary) {
  using Clock = std::chrono::steady_clock;
  if (!watch_->synced()) return std::nullopt;
  reading_.note(watch_->take_changes(), vocabulary);
  Clock::time_point begin = Clock::now();
  bool everything = reading_.has_everything() && begin >= not_before_;
  bool parts =
      reading_.has_read() && (reading_.has_parts() || watch_->unknown_versions() != unknown_);
  if (!everything && !parts) return std::nullopt;
  SourceUpdate update = reading_.read(
      everything ? IncrementalReading::Extent::Everything : IncrementalReading::Extent::Parts,
      vocabulary);
  update.diagnostics = with_unknown_versions(std::move(update.diagnostics));
  if (reading_.extent() == IncrementalReading::Extent::Parts) return update;
  Clock::time_point end = Clock::now();
  not_before_ = end + kRest * (end - begin);
  // Reading everything takes several times the memory of its result.
  release_free_memory();
  return update;
}

std::optional<ObjectDiff> KubeSource::read_all(Vocabulary& vocabulary) {
  if (!reading_.has_read()) return std::nullopt;
  return all_staying(reading_.read_all(vocabulary));
}

}  // namespace trellis
