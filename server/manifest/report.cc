#include "server/manifest/report.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace trellis {

void Report::begin_file(std::string name) { files_.push_back(std::move(name)); }

void Report::add(Severity severity, const Place& at, Finding finding) {
  if (severity == Severity::Error) ++errors_;
  diagnostics_.push_back({.severity = severity,
                          .file = at.pos.file < files_.size() ? files_[at.pos.file] : "",
                          .document = at.pos.document,
                          .line = at.pos.line,
                          .path = at.path,
                          .found = std::move(finding.found),
                          .expected = std::move(finding.expected),
                          .nearest = std::move(finding.nearest)});
}

void Report::summary(Severity severity, std::string text) {
  diagnostics_.push_back({.severity = severity, .found = std::move(text)});
}

SourcePos Report::pos(Value at) const {
  if (!at.exists()) return {};
  return {.file = static_cast<uint32_t>(files_.size() - 1),
          .line = static_cast<uint32_t>(at.line()),
          .document = at.document()->number()};
}

std::string Report::show(SourcePos pos) const {
  return files_[pos.file] + ":" + std::to_string(pos.line) + " (doc " +
         std::to_string(pos.document) + ")";
}

std::vector<Diagnostic> Report::take() {
  auto order = [this](const Diagnostic& diagnostic) {
    if (diagnostic.file.empty()) return files_.size();
    auto found = std::find(files_.begin(), files_.end(), diagnostic.file);
    return static_cast<size_t>(found - files_.begin());
  };
  auto key = [&order](const Diagnostic& a) { return std::tuple(order(a), a.document, a.line); };
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [&key](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  auto end = std::unique(diagnostics_.begin(), diagnostics_.end());
  diagnostics_.erase(end, diagnostics_.end());
  return std::move(diagnostics_);
}

}  // namespace trellis
