#include "server/system/small_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

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

}  // namespace trellis
