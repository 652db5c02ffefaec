// One connection: it reads bytes until a head, and the body of a POST, are complete and writes
// bytes until an answer is sent, each with one deadline for the whole. Never blocks: the loop calls
// it when the socket is ready.
//
// Guarantees: stores at most the limits of head and body and one read of bytes that are not handled
// yet.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "server/http/http_codec.h"
#include "server/http/request_head.h"
#include "server/system/descriptor.h"

namespace trellis {

inline constexpr int64_t kMs = 1'000'000;  // in nanoseconds
inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

struct ConnectionLimits {
  int64_t head_bytes;
  int64_t body_bytes;  // of a POST; 0: bodies are not read
  int64_t head_ns;    // from a head's first byte, or from the connection's first moment; for a body
                      // as long again
  int64_t idle_ns;    // between requests
  int64_t answer_ns;  // for the client to take an answer
  int64_t drain_ns;   // after the last answer, for the client to close
  int64_t requests;
};

// The answers to input that is no request, and to connections that are too many; made once.
struct Refusals {
  std::string malformed;  // 400
  std::string too_slow;   // 408
  std::string too_large;  // 413, of a head
  std::string too_much;   // 413, of a body
  std::string too_many;   // 503
};

class Connection {
 public:
  enum class State {
    Idle,       // no byte of a request yet
    Reading,    // a part of a head, or of the body behind it
    Ready,      // a whole request, not taken yet
    Answering,  // a thread works on the answer
    Writing,
    Draining,  // all is sent; unread bytes would turn the close into a reset
    Closed,
  };

  // REQUIRES: `limits` and `refusals` outlive this object.
  Connection(Descriptor socket, const ConnectionLimits& limits, const Refusals& refusals,
             int64_t now_ns);

  int socket() const { return socket_.get(); }
  State state() const { return state_; }
  int64_t since_ns() const { return since_ns_; }  // in this state
  int64_t deadline_ns() const { return deadline_ns_; }
  size_t unsent_bytes() const { return out_.size() - sent_; }
  bool wants_input() const;
  bool wants_output() const { return state_ == State::Writing; }

  void on_input(int64_t now_ns);
  void on_output(int64_t now_ns);
  void on_deadline(int64_t now_ns);

  // REQUIRES: the state is Ready. It is Answering from here on.
  RequestHead take_request(int64_t now_ns);
  // Nothing is sent before on_output().
  void write(EncodedAnswer answer, int64_t now_ns);
  void refuse(const std::string& bytes, int64_t now_ns);
  void close();
  // Closes, and discards what the kernel still buffers for a reader that does not read.
  void abandon();

 private:
  void enter(State state, int64_t now_ns, int64_t allowed_ns);
  void look_for_request(int64_t now_ns);
  void look_for_head(int64_t now_ns);
  void look_for_body(int64_t now_ns);
  void drain(int64_t now_ns);
  void finish_answer(int64_t now_ns);

  Descriptor socket_;
  const ConnectionLimits& limits_;
  const Refusals& refusals_;
  State state_ = State::Idle;
  int64_t since_ns_ = 0;
  int64_t deadline_ns_ = 0;
  std::string in_;
  size_t searched_ = 0;              // no head ends before this offset of in_
  std::optional<RequestHead> head_;  // its body may not be complete
  std::string out_;
  size_t sent_ = 0;
  AfterAnswer after_ = AfterAnswer::KeepOpen;
  int64_t requests_ = 0;
  int64_t drained_bytes_ = 0;
};

}  // namespace trellis
