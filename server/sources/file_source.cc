#include "server/sources/file_source.h"

#include <memory>
#include <utility>

namespace trellis {

std::optional<SourceUpdate> FileSource::poll(Vocabulary& vocabulary) {
  WatchedFiles::Change change = files_.poll();
  if (change == WatchedFiles::Change::None && !reading_.stale()) return std::nullopt;
  SourceUpdate update;
  if (change == WatchedFiles::Change::Content || reading_.stale()) {
    update = reading_.read(files_.texts(), vocabulary);
  }
  auto diagnostics = std::make_shared<std::vector<Diagnostic>>(files_.faults());
  diagnostics->insert(diagnostics->end(), reading_.diagnostics().begin(),
                      reading_.diagnostics().end());
  update.diagnostics = std::move(diagnostics);
  return update;
}

std::optional<ObjectDiff> FileSource::read_all(Vocabulary& vocabulary) {
  return all_staying(reading_.read_again(files_.texts(), vocabulary));
}

}  // namespace trellis
