#include "server/system/replaced_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace trellis {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kUsualMode = 0666;
constexpr mode_t kPermissions = 07777;

Error last_error() { return {std::generic_category().message(errno)}; }

bool is_output(const struct stat& status) {
  for (int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat output {};
    if (::fstat(fd, &output) != 0) continue;
    if (output.st_dev == status.st_dev && output.st_ino == status.st_ino) return true;
  }
  return false;
}

// The end of a chain of symbolic links, whether it exists or not.
std::string followed(const std::string& name) {
  std::error_code fault;
  fs::path path = name;
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(path, fault)); ++i) {
    fs::path target = fs::read_symlink(path, fault);
    if (fault) break;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path.string();
}

// Hidden, so that no watched folder shows it.
std::string name_beside(const std::string& name) {
  fs::path path = name;
  std::string hidden = "." + path.filename().string() + "." + std::to_string(::getpid()) + ".new";
  return (path.parent_path() / hidden).string();
}

void sync_folder_of(const std::string& name) {
  fs::path folder = fs::path(name).parent_path();
  Descriptor open_folder(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Where the file system does not support this, its own guarantees apply.
  if (open_folder.valid()) (void)::fsync(open_folder.get());
}

}  // namespace

Result<ReplacedFile> ReplacedFile::begin(const std::string& name) {
  struct stat status {};
  bool there = ::stat(name.c_str(), &status) == 0;
  bool in_place = there && (!S_ISREG(status.st_mode) || is_output(status));
  if (!in_place) {
    std::string target = followed(name);
    std::string beside = name_beside(target);
    (void)::unlink(beside.c_str());  // left by a process of this number that was killed
    Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kUsualMode));
    if (file.valid()) {
      if (there) (void)::fchmod(file.get(), status.st_mode & kPermissions);
      return ReplacedFile(std::move(file), std::move(beside), std::move(target));
    }
    bool is_closed = errno == EACCES || errno == EPERM || errno == EROFS;
    if (!there || !is_closed) return tl::unexpected(last_error());
  }
  Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kUsualMode));
  if (!file.valid()) return tl::unexpected(last_error());
  return ReplacedFile(std::move(file), "", name);
}

ReplacedFile::~ReplacedFile() {
  if (file_.valid() && !beside_.empty()) (void)::unlink(beside_.c_str());
}

std::optional<Error> ReplacedFile::finish() {
  if (sink_.outcome() == WriteOutcome::Failed) return Error{sink_.error()};
  if (sink_.outcome() == WriteOutcome::Abandoned) return Error{"its reader went away"};
  if (beside_.empty()) {
    file_.close();
    return std::nullopt;
  }
  if (::fsync(file_.get()) != 0) return last_error();
  if (::rename(beside_.c_str(), name_.c_str()) != 0) return last_error();
  file_.close();
  sync_folder_of(name_);
  return std::nullopt;
}

}  // namespace trellis
