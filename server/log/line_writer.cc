#include "server/log/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace trellis {

bool LineWriter::has_room() const {
  pollfd slot{.fd = fd_, .events = POLLOUT, .revents = 0};
  return ::poll(&slot, 1, dropped_ == 0 ? patience_ms_ : 0) > 0 && (slot.revents & POLLOUT) != 0;
}

bool LineWriter::write(std::string_view line) {
  ssize_t count = -1;
  if (has_room()) {
    do {
      count = ::write(fd_, line.data(), line.size());
    } while (count < 0 && errno == EINTR);
  }
  if (count < 0) ++dropped_;
  return count >= 0;
}

}  // namespace trellis
