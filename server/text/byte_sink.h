// The destination of results: a file descriptor in the program, a string in tests.
#pragma once

#include <string>
#include <string_view>

namespace trellis {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
};

class StringSink : public ByteSink {
 public:
  void write(std::string_view bytes) override { text_ += bytes; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

enum class WriteOutcome {
  Written,
  Abandoned,  // the reader closed the pipe: the rest is not needed
  Failed,     // error() has the reason
};

// Writes all bytes, in spite of short writes and interrupts. After the first failure it drops all
// later bytes, so that a caller need not check every write.
class FileSink : public ByteSink {
 public:
  explicit FileSink(int fd) : fd_(fd) {}
  void write(std::string_view bytes) override;
  WriteOutcome outcome() const { return outcome_; }
  const std::string& error() const { return error_; }

 private:
  int fd_;
  WriteOutcome outcome_ = WriteOutcome::Written;
  std::string error_;
};

}  // namespace trellis
