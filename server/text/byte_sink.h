// Where results go: a file descriptor in the program, a string in tests.
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
  Abandoned,  // the reader went away (a closed pipe): the rest is not wanted
  Failed,     // error() says why
};

// Writes all, through short writes and interrupts. After the first failure it drops what follows,
// so that a caller need not look after every write.
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
