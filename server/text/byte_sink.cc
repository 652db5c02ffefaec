#include "server/text/byte_sink.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace trellis {

void FileSink::write(std::string_view bytes) {
  while (!bytes.empty() && outcome_ == WriteOutcome::Written) {
    ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      outcome_ = WriteOutcome::Abandoned;
    } else if (errno != EINTR) {
      error_ = std::generic_category().message(errno);
      outcome_ = WriteOutcome::Failed;
    }
  }
}

}  // namespace trellis
