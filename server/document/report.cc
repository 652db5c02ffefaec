#include "server/document/report.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "server/text/nearest_word.h"

namespace trellis {

void Report::begin_file(std::string_view name, uint32_t number) {
  files_.push_back({number, name});
}

std::string_view Report::file(uint32_t number) const {
  if (!files_.empty() && files_.back().number == number) return files_.back().name;
  for (; named_ < files_.size(); ++named_) {
    names_.insert_or_assign(files_[named_].number, files_[named_].name);
  }
  auto found = names_.find(number);
  return found == names_.end() ? std::string_view() : found->second;
}

void Report::await_error() {
  awaits_ = true;
  awaited_.reset();
}

Report::Use Report::count(Severity severity) {
  bool error = severity == Severity::Error;
  if (error) ++errors_;
  // Errors have a bound of their own, so that many warnings do not displace them.
  Use use{.listed = error ? errors_ <= kMostFindings : diagnostics_.size() < kMostFindings,
          .awaited = error && awaits_};
  if (!use.listed) ++(error ? more_errors_ : more_warnings_);
  return use;
}

void Report::add(Severity severity, const Place& at, Finding finding) {
  Use use = count(severity);
  if (use.any()) keep(use, severity, at, std::move(finding));
}

// Computes the location only for a finding that is kept, as this takes time.
void Report::add(Severity severity, Value at, Finding finding) {
  Use use = count(severity);
  if (use.any()) keep(use, severity, place(at), std::move(finding));
}

void Report::keep(Use use, Severity severity, const Place& at, Finding finding) {
  Diagnostic diagnostic{.severity = severity,
                        .file = std::string(file(at.pos.file)),
                        .document = at.pos.document,
                        .line = at.pos.line,
                        .path = at.path,
                        .found = std::move(finding.found),
                        .expected = std::move(finding.expected),
                        .nearest = std::move(finding.nearest)};
  if (use.awaited) {
    awaits_ = false;
    awaited_ = diagnostic;
  }
  if (use.listed) diagnostics_.push_back(std::move(diagnostic));
}

void Report::add(const Diagnostic& diagnostic) {
  if (count(diagnostic.severity).listed) diagnostics_.push_back(diagnostic);
}

bool Report::add_all(Report& part) {
  if (part.diagnostics_.empty() && part.compared_ == 0) return true;
  size_t findings = diagnostics_.size() + errors_ + part.diagnostics_.size();
  bool bounded = part.more_errors_ > 0 || part.more_warnings_ > 0 || findings > kMostFindings ||
                 compared_ + part.compared_ > kMostCompared;
  if (bounded) return false;
  diagnostics_.insert(diagnostics_.end(), std::make_move_iterator(part.diagnostics_.begin()),
                      std::make_move_iterator(part.diagnostics_.end()));
  errors_ += part.errors_;
  compared_ += part.compared_;
  return true;
}

std::string Report::nearest(std::string_view word, std::span<const std::string_view> candidates) {
  compared_ += candidates.size();
  return compared_ <= kMostCompared ? nearest_word(word, candidates) : "";
}

void Report::summary(Severity severity, std::string text) {
  diagnostics_.push_back({.severity = severity, .found = std::move(text)});
}

SourcePos Report::pos(Value at) const {
  if (!at.exists()) return {};
  return {.file = files_.back().number,
          .line = static_cast<uint32_t>(at.line()),
          .document = at.document()->number()};
}

std::string Report::show(SourcePos pos) const {
  return std::string(file(pos.file)) + ":" + std::to_string(pos.line) + " (doc " +
         std::to_string(pos.document) + ")";
}

std::vector<Diagnostic> Report::take() {
  absl::flat_hash_map<std::string_view, size_t> orders;  // of files
  for (size_t i = 0; i < files_.size() && !diagnostics_.empty(); ++i) {
    orders.try_emplace(files_[i].name, i);
  }
  auto order = [&](const Diagnostic& diagnostic) {
    auto found = orders.find(diagnostic.file);
    return diagnostic.file.empty() || found == orders.end() ? files_.size() : found->second;
  };
  auto key = [&order](const Diagnostic& a) { return std::tuple(order(a), a.document, a.line); };
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [&key](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  auto end = std::unique(diagnostics_.begin(), diagnostics_.end());
  diagnostics_.erase(end, diagnostics_.end());
  auto more = [this](Severity severity, size_t count, std::string_view what) {
    if (count == 0) return;
    summary(severity, std::to_string(count) + " more " + std::string(what) +
                          (count == 1 ? " is not listed" : "s are not listed"));
  };
  more(Severity::Error, more_errors_, "error");
  more(Severity::Warning, more_warnings_, "warning");
  return std::move(diagnostics_);
}

}  // namespace trellis
