#include "server/system/whole_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "server/system/clock.h"
#include "server/system/descriptor.h"

namespace trellis {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;

tl::unexpected<Error> system_error() {
  std::string text = std::generic_category().message(errno);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] += 'a' - 'A';
  return error(text);
}

// Waits until there is something to read; a pipe that no writer has opened yet is waited for, too.
// False: the time is over.
bool wait_for_bytes(int fd, int64_t until_ns) {
  for (;;) {
    int64_t left_ms = (until_ns - steady_ns()) / kNsPerMs;
    if (left_ms <= 0) return false;
    pollfd waited{.fd = fd, .events = POLLIN, .revents = 0};
    int ready = ::poll(&waited, 1, static_cast<int>(left_ms));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the read reports the error
  }
}

}  // namespace

Result<std::string> read_small_file(const std::string& name) {
  int64_t until_ns = steady_ns() + kSmallFilePatienceMs * kNsPerMs;
  Descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) return system_error();
  if (S_ISDIR(status.st_mode)) return error("a directory");
  std::string text;
  std::array<char, 1 << 14> bytes;
  for (;;) {
    if (!wait_for_bytes(file.get(), until_ns)) {
      return error("no end of it within " + std::to_string(kSmallFilePatienceMs / 1000) + " s");
    }
    ssize_t count = ::read(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR && errno != EAGAIN) return system_error();
    if (count < 0) continue;
    if (count == 0) return text;
    if (text.size() + static_cast<size_t>(count) > kMostSmallFileBytes) {
      return error("more than " + std::to_string(kMostSmallFileBytes >> 20) + " MiB");
    }
    text.append(bytes.data(), static_cast<size_t>(count));
  }
}

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
