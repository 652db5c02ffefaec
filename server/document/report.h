// Collects the findings about the input: the first kMostFindings are kept, the others counted.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/document/diagnostic.h"
#include "server/document/document.h"
#include "server/document/place.h"

namespace trellis {

// A finding without its location.
struct Finding {
  std::string found;
  std::string expected;
  std::string nearest;
};

class Report {
 public:
  // Findings at a Value are in this file, from now on. `number`: by which locations name the file.
  // REQUIRES: `name` outlives the report.
  void begin_file(std::string_view name, uint32_t number);
  void expect_files(size_t files) { files_.reserve(files); }
  std::string_view file(uint32_t number) const;  // its name; "": no file has the number

  void error(Value at, Finding finding) { add(Severity::Error, at, std::move(finding)); }
  void warning(Value at, Finding finding) { add(Severity::Warning, at, std::move(finding)); }
  void error(const Place& at, Finding finding) { add(Severity::Error, at, std::move(finding)); }
  void warning(const Place& at, Finding finding) { add(Severity::Warning, at, std::move(finding)); }
  // Adds a finding of another report.
  void add(const Diagnostic& diagnostic);
  // Adds what a report of a part of the input has, if each of its findings would have been the same
  // here; else, as a bound is reached, adds nothing and returns false.
  bool add_all(Report& part);
  // Adds a finding about the input as a whole.
  void summary(Severity severity, std::string text);

  SourcePos pos(Value at) const;
  Place place(Value at) const { return {pos(at), at.path()}; }
  std::string show(SourcePos pos) const;  // "FILE:LINE (doc N)"

  // The candidate that was probably meant; "" once all comparisons have cost too much.
  std::string nearest(std::string_view word, std::span<const std::string_view> candidates);
  // Remembers the next error until the next call, whether or not it is listed.
  void await_error();
  const Diagnostic* awaited_error() const { return awaited_ ? &*awaited_ : nullptr; }

  // For readers of text, which add their own diagnostics.
  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }
  size_t errors() const { return errors_; }  // reported through this class so far

  // The findings, sorted by file, document and line; a finding that occurs twice at one location is
  // listed once. The number of findings that were not kept is added at the end.
  std::vector<Diagnostic> take();

 private:
  static constexpr size_t kMostFindings = 10'000;
  static constexpr size_t kMostCompared = 4'000'000;  // comparisons of words, in all

  // How a finding is used.
  struct Use {
    bool listed;
    bool awaited;
    bool any() const { return listed || awaited; }
  };

  Use count(Severity severity);
  void add(Severity severity, const Place& at, Finding finding);
  void add(Severity severity, Value at, Finding finding);
  void keep(Use use, Severity severity, const Place& at, Finding finding);

  struct File {
    uint32_t number;
    std::string_view name;
  };
  std::vector<File> files_;  // in the order of reading
  // Filled by file(), as most reports never need it.
  mutable absl::flat_hash_map<uint32_t, std::string_view> names_;
  mutable size_t named_ = 0;  // files that `names_` has
  std::vector<Diagnostic> diagnostics_;
  size_t errors_ = 0;
  bool awaits_ = false;
  std::optional<Diagnostic> awaited_;
  size_t more_errors_ = 0;  // that are not listed
  size_t more_warnings_ = 0;
  size_t compared_ = 0;
};

}  // namespace trellis
