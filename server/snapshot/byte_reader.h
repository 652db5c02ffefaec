// Integers and texts as bytes, the same on every machine: seven bits of an integer a byte, the
// lowest first; of signed ones the sign is the lowest bit.
//
// Guarantees: a reader never reads past the end: what is not there reads as 0, and failed() is true
// from then on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

inline void put_number(std::string& bytes, uint64_t value) {
  while (value >= 0x80) {
    bytes.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes.push_back(static_cast<char>(value));
}

inline void put_signed(std::string& bytes, int64_t value) {
  put_number(bytes, (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

inline void put_text(std::string& bytes, std::string_view text) {
  put_number(bytes, text.size());
  bytes.append(text);
}

// A number of a fixed size, the lowest byte first.
template <size_t Bytes>
void put_fixed(std::string& bytes, uint64_t value) {
  for (size_t i = 0; i < Bytes; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
}

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  uint64_t number() {
    if (at_ < end_ && static_cast<unsigned char>(*at_) < 0x80) {
      return static_cast<unsigned char>(*at_++);
    }
    return long_number();
  }
  int64_t signed_number() {
    uint64_t value = number();
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  // The text stays where the bytes are.
  std::string_view text() { return bytes(number()); }
  std::string_view bytes(uint64_t count) {
    if (count > left()) {
      fail();
      return {};
    }
    std::string_view found(at_, count);
    at_ += count;
    return found;
  }
  template <size_t Bytes>
  uint64_t fixed() {
    uint64_t value = 0;
    std::string_view found = bytes(Bytes);
    for (size_t i = 0; i < found.size(); ++i) {
      value |= uint64_t{static_cast<unsigned char>(found[i])} << (8 * i);
    }
    return value;
  }

  size_t left() const { return static_cast<size_t>(end_ - at_); }
  void fail() {
    at_ = end_;
    failed_ = true;
  }
  bool failed() const { return failed_; }

 private:
  uint64_t long_number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ < end_; shift += 7) {
      auto byte = static_cast<unsigned char>(*at_++);
      value |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

  const char* at_;
  const char* end_;
  bool failed_ = false;
};

}  // namespace trellis
