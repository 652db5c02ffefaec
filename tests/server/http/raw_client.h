// An HTTP client that sends what it is given, byte for byte, and says what came back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/system/descriptor.h"

namespace trellis::test {

struct RawAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case; no name may stand twice
  std::string body;
};

enum class BodySent { Yes, No };  // No: the answer to a HEAD

class RawClient {
 public:
  // Waits at most this long for anything. A failure to connect shows as !connected().
  explicit RawClient(int port, const std::string& address = "127.0.0.1",
                     int64_t patience_ms = 10'000, int receive_buffer_bytes = 0);

  bool connected() const { return socket_.valid(); }
  // False once the server has closed.
  bool send(std::string_view bytes);
  void finish_sending();
  // Nothing when the server closed, or said nothing in time.
  std::optional<RawAnswer> answer(BodySent body = BodySent::Yes);
  // Reads and drops until the server closes; false when it did not in time.
  bool closed();
  int64_t dropped_bytes() const { return dropped_bytes_; }
  void close() { socket_.close(); }

 private:
  bool receive();

  Descriptor socket_;
  std::string in_;
  int64_t dropped_bytes_ = 0;
};

std::string get(std::string_view target, std::string_view more_headers = "");

int open_descriptors();

}  // namespace trellis::test
