#include "server/http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace trellis {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr size_t kReadBytes = 16 << 10;
constexpr size_t kWriteBytes = 1 << 20;  // then it is another connection's turn
constexpr int64_t kDrainBytes = 256 << 10;

// Whether the bytes can become a head: they begin with a capital, as methods do, and their first
// line ends as HTTP's do.
bool may_be_a_head(std::string_view begun) {
  if (begun.front() < 'A' || begun.front() > 'Z') return false;
  size_t newline = begun.find('\n');
  return newline == std::string_view::npos || begun[newline - 1] == '\r';
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Connection::Connection(Descriptor socket, const ConnectionLimits& limits, const Refusals& refusals,
                       int64_t now_ns)
    : socket_(std::move(socket)), limits_(limits), refusals_(refusals) {
  enter(State::Idle, now_ns, limits_.head_ns);
}

void Connection::enter(State state, int64_t now_ns, int64_t allowed_ns) {
  state_ = state;
  since_ns_ = now_ns;
  deadline_ns_ = allowed_ns == kNever ? kNever : now_ns + allowed_ns;
}

bool Connection::wants_input() const {
  return state_ == State::Idle || state_ == State::Reading || state_ == State::Draining;
}

void Connection::on_input(int64_t now_ns) {
  std::array<char, kReadBytes> bytes;
  ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0 && would_block()) return;
  if (count <= 0) return close();
  if (state_ == State::Draining) {
    drained_bytes_ += count;
    if (drained_bytes_ > kDrainBytes) close();
    return;
  }
  in_.append(bytes.data(), static_cast<size_t>(count));
  look_for_request(now_ns);
}

void Connection::look_for_request(int64_t now_ns) {
  if (!head_) look_for_head(now_ns);
  if (head_) look_for_body(now_ns);
}

void Connection::look_for_head(int64_t now_ns) {
  // Some old clients send an extra empty line after a body.
  size_t begin = 0;
  while (in_.compare(begin, kLineEnd.size(), kLineEnd) == 0) begin += kLineEnd.size();
  if (begin > 0) {
    in_.erase(0, begin);
    searched_ = 0;
  }
  if (in_.empty() || in_ == kLineEnd.substr(0, 1)) return;
  if (state_ == State::Idle) enter(State::Reading, now_ns, limits_.head_ns);
  size_t from = searched_ < kHeadEnd.size() ? 0 : searched_ - kHeadEnd.size() + 1;
  size_t end = in_.find(kHeadEnd, from);
  searched_ = in_.size();
  size_t size = end == std::string::npos ? in_.size() : end + kHeadEnd.size();
  if (!may_be_a_head(in_)) return refuse(refusals_.malformed, now_ns);
  if (size > static_cast<size_t>(limits_.head_bytes)) return refuse(refusals_.too_large, now_ns);
  if (end == std::string::npos) return;
  head_ = parse_request_head(std::string_view(in_).substr(0, size));
  if (!head_) return refuse(refusals_.malformed, now_ns);
  in_.erase(0, size);
  searched_ = 0;
  if (head_->body_bytes > 0) enter(State::Reading, now_ns, limits_.head_ns);
}

void Connection::look_for_body(int64_t now_ns) {
  bool is_read = head_->request.method == "POST" && !head_->is_chunked && limits_.body_bytes > 0;
  if (is_read) {
    if (head_->body_bytes > limits_.body_bytes) return refuse(refusals_.too_much, now_ns);
    auto size = static_cast<size_t>(head_->body_bytes);
    if (in_.size() < size) return;
    head_->request.body = in_.substr(0, size);
    in_.erase(0, size);
  }
  enter(State::Ready, now_ns, kNever);
}

RequestHead Connection::take_request(int64_t now_ns) {
  if (++requests_ >= limits_.requests) head_->after = AfterAnswer::Close;
  enter(State::Answering, now_ns, kNever);
  RequestHead taken = std::move(*head_);
  head_.reset();
  return taken;
}

void Connection::write(EncodedAnswer answer, int64_t now_ns) {
  out_ = std::move(answer.bytes);
  sent_ = 0;
  after_ = answer.after;
  enter(State::Writing, now_ns, limits_.answer_ns);
}

void Connection::refuse(const std::string& bytes, int64_t now_ns) {
  write({.bytes = bytes, .after = AfterAnswer::Close}, now_ns);
}

void Connection::on_output(int64_t now_ns) {
  size_t piece = std::min(kWriteBytes, unsent_bytes());
  ssize_t count = ::send(socket_.get(), out_.data() + sent_, piece, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0 && would_block()) return;
  if (count < 0) return close();
  sent_ += static_cast<size_t>(count);
  if (unsent_bytes() == 0) finish_answer(now_ns);
}

void Connection::finish_answer(int64_t now_ns) {
  out_ = std::string();
  sent_ = 0;
  if (after_ == AfterAnswer::Close) return drain(now_ns);
  enter(State::Idle, now_ns, limits_.idle_ns);
  look_for_request(now_ns);
}

void Connection::drain(int64_t now_ns) {
  in_ = std::string();
  ::shutdown(socket_.get(), SHUT_WR);
  enter(State::Draining, now_ns, limits_.drain_ns);
}

void Connection::on_deadline(int64_t now_ns) {
  if (state_ == State::Reading) return refuse(refusals_.too_slow, now_ns);
  if (state_ == State::Writing) return abandon();
  close();
}

void Connection::abandon() {
  linger at_once{.l_onoff = 1, .l_linger = 0};
  (void)::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void Connection::close() {
  socket_.close();
  in_ = std::string();
  out_ = std::string();
  sent_ = 0;
  state_ = State::Closed;
}

}  // namespace trellis
