// Writes one document of objects, arrays and scalars, in the order of the calls: JSON or YAML.
//
// REQUIRES: calls nest properly; inside an object every value follows its key. Buffered: `finish`
// writes the last bytes. Cost: O(bytes written), no document is ever held whole.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/text/byte_sink.h"

namespace trellis {

class DocumentWriter {
 public:
  explicit DocumentWriter(ByteSink& sink) : sink_(sink) {}
  virtual ~DocumentWriter() = default;
  DocumentWriter(const DocumentWriter&) = delete;
  DocumentWriter& operator=(const DocumentWriter&) = delete;

  virtual void begin_object() = 0;
  virtual void end_object() = 0;
  virtual void begin_array() = 0;
  virtual void end_array() = 0;
  virtual void key(std::string_view name) = 0;

  void text(std::string_view value);
  void integer(int64_t value);
  void real(double value);  // REQUIRES: finite
  void boolean(bool value);

  void begin_object(std::string_view name) { key(name), begin_object(); }
  void begin_array(std::string_view name) { key(name), begin_array(); }

  template <std::convertible_to<std::string_view> T>
  void field(std::string_view name, const T& value) {
    key(name), text(value);
  }
  template <std::integral T>
  void field(std::string_view name, T value) {
    key(name);
    if constexpr (std::same_as<T, bool>) {
      boolean(value);
    } else {
      integer(static_cast<int64_t>(value));
    }
  }
  void field(std::string_view name, double value) { key(name), real(value); }

  // Ends the document with a newline and hands the last bytes to the sink.
  void finish();

 protected:
  // Writes what precedes a value: commas, indentation, dashes.
  virtual void before_value() = 0;
  virtual void scalar_text(std::string_view value) = 0;

  void put(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kFlushBytes) flush();
  }
  void put(char byte) { buffer_ += byte; }

 private:
  static constexpr size_t kFlushBytes = 1 << 16;
  void flush();

  ByteSink& sink_;
  std::string buffer_;
};

// `text` as a JSON string, quotes included. Bytes that are no UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text);

// The shortest text that reads back as the same number.
std::string number_text(double value);

}  // namespace trellis
