#include "server/sources/watched_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "server/manifest/input_files.h"

namespace trellis {
namespace {

constexpr int64_t kMillisecondNs = 1'000'000;
// After this time a writer that truncates and rewrites a file is done.
constexpr int64_t kBeingWrittenNs = 20 * kMillisecondNs;
// Coarser than the time stamps of any usual file system.
constexpr int64_t kYoungNs = 2000 * kMillisecondNs;
// After this number of polls a file that is written without a pause is taken as it is.
constexpr int kMostDeferrals = 10;

int64_t wall_clock_ns() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::Error;
  });
}

}  // namespace

bool WatchedFiles::status_of(const std::string& name, Status& status) {
  struct stat found {};
  if (name == "-" || ::stat(name.c_str(), &found) != 0) return false;
  status.size = found.st_size;
  status.changed_ns = int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
  status.inode = found.st_ino;
  return true;
}

bool WatchedFiles::look(const std::string& name, File& file) {
  Status status;
  if (!status_of(name, status)) return name == "-" && !file.seen;
  int64_t age_ns = wall_clock_ns() - status.changed_ns;
  bool same = file.seen && status == file.status;
  if (same && !file.young) return false;
  bool being_written = polled_ && age_ns >= 0 && age_ns < kBeingWrittenNs;
  return !being_written || ++file.deferred > kMostDeferrals;
}

void WatchedFiles::read(const std::string& name, File& file) {
  Status before;
  Status after;
  bool known = status_of(name, before);
  int64_t started_ns = wall_clock_ns();
  Result<std::string> text = read_input_file({name, before.size});
  if (text) text = plain_text(std::move(*text));
  ++reads_;
  if (!text) {
    // If the file is gone, the next poll finds this out from its directory.
    file.young = true;
    file.faults = {
        {.file = name, .found = text.error().message, .expected = "a file that can be read"}};
    return;
  }
  status_of(name, after);
  if (known && before != after && ++file.deferred <= kMostDeferrals) return;
  file.deferred = 0;
  file.young = known && started_ns - before.changed_ns < kYoungNs;
  file.status = before;
  if (!file.seen || file.seen.str() != *text) take(name, file, *text);
}

void WatchedFiles::take(const std::string& name, File& file, std::string_view text) {
  file.seen = StoredText(text);
  std::vector<Diagnostic> found = check_manifest_text(name, text);
  bool broken = has_errors(found);
  // Without an older good content the broken one is used, and its reader reports the errors.
  bool kept = broken && file.good;
  file.faults = kept ? std::move(found) : std::vector<Diagnostic>();
  if (kept) return;
  file.good = broken ? StoredText() : file.seen;
  content_changed_ = true;
}

WatchedFiles::Change WatchedFiles::poll() {
  std::vector<Diagnostic> of_paths;
  std::vector<std::string> order;
  for (const InputFile& file : find_input_files(paths_, of_paths)) order.push_back(file.name);
  content_changed_ = !polled_;
  if (order != order_) {
    std::set<std::string> there(order.begin(), order.end());
    std::erase_if(files_, [&](const auto& entry) {
      if (there.contains(entry.first)) return false;
      gone_.push_back(entry.first);
      return true;
    });
    order_ = std::move(order);
    content_changed_ = true;
  }
  for (const std::string& name : order_) {
    File& file = files_[name];
    if (look(name, file)) read(name, file);
  }
  polled_ = true;
  std::vector<Diagnostic> before = std::move(faults_);
  collect_faults(std::move(of_paths));
  if (content_changed_) return Change::Content;
  return before == faults_ ? Change::None : Change::Faults;
}

void WatchedFiles::collect_faults(std::vector<Diagnostic> of_paths) {
  faults_ = std::move(of_paths);
  for (const std::string& name : order_) {
    const File& file = files_[name];
    faults_.insert(faults_.end(), file.faults.begin(), file.faults.end());
  }
}

std::vector<NamedText> WatchedFiles::texts() const {
  std::vector<NamedText> texts;
  for (const std::string& name : order_) {
    const File& file = files_.at(name);
    if (StoredText text = file.good ? file.good : file.seen) {
      texts.push_back({name, std::move(text)});
    }
  }
  return texts;
}

}  // namespace trellis
