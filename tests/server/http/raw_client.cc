#include "tests/server/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace trellis::test {
namespace {

Descriptor connect_to(const std::string& address, int port, int receive_buffer_bytes) {
  bool six = address.find(':') != std::string::npos;
  Descriptor socket(::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (receive_buffer_bytes > 0) {
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                 sizeof receive_buffer_bytes);
  }
  sockaddr_in four_name{};
  four_name.sin_family = AF_INET;
  four_name.sin_port = htons(static_cast<uint16_t>(port));
  sockaddr_in6 six_name{};
  six_name.sin6_family = AF_INET6;
  six_name.sin6_port = htons(static_cast<uint16_t>(port));
  ::inet_pton(AF_INET, address.c_str(), &four_name.sin_addr);
  ::inet_pton(AF_INET6, address.c_str(), &six_name.sin6_addr);
  int outcome =
      six ? ::connect(socket.get(), reinterpret_cast<sockaddr*>(&six_name), sizeof six_name)
          : ::connect(socket.get(), reinterpret_cast<sockaddr*>(&four_name), sizeof four_name);
  return outcome == 0 ? std::move(socket) : Descriptor();
}

RawAnswer parse_head(std::string_view head) {
  RawAnswer answer;
  if (head.size() > 12) answer.status = std::atoi(std::string(head.substr(9, 3)).c_str());
  head.remove_prefix(std::min(head.size(), head.find("\r\n") + 2));
  while (!head.empty()) {
    size_t end = head.find("\r\n");
    std::string_view line = head.substr(0, end);
    head = end == std::string_view::npos ? std::string_view() : head.substr(end + 2);
    size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string& value = answer.headers[name];
    value = value.empty() ? std::string(line.substr(colon + 2)) : value + " TWICE";
  }
  return answer;
}

}  // namespace

RawClient::RawClient(int port, const std::string& address, int64_t patience_ms,
                     int receive_buffer_bytes)
    : socket_(connect_to(address, port, receive_buffer_bytes)) {
  timeval patience{.tv_sec = patience_ms / 1000, .tv_usec = patience_ms % 1000 * 1000};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

void RawClient::finish_sending() { ::shutdown(socket_.get(), SHUT_WR); }

bool RawClient::receive() {
  std::array<char, 65536> bytes;
  ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  in_.append(bytes.data(), static_cast<size_t>(count));
  return true;
}

std::optional<RawAnswer> RawClient::answer(BodySent body) {
  size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive()) return std::nullopt;
  }
  RawAnswer answer = parse_head(std::string_view(in_).substr(0, end));
  in_.erase(0, end + 4);
  if (body == BodySent::No) return answer;
  size_t size = std::strtoull(answer.headers["content-length"].c_str(), nullptr, 10);
  while (in_.size() < size) {
    if (!receive()) return std::nullopt;
  }
  answer.body = in_.substr(0, size);
  in_.erase(0, size);
  return answer;
}

bool RawClient::closed() {
  std::array<char, 65536> bytes;
  for (;;) {
    ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (count == 0) return true;
    if (count < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
    dropped_bytes_ += count;
  }
}

std::string get(std::string_view target, std::string_view more_headers) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" +
         std::string(more_headers) + "\r\n";
}

int open_descriptors() {
  auto entries = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<int>(std::distance(begin(entries), end(entries)));
}

}  // namespace trellis::test
