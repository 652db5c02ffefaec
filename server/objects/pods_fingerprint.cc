#include "server/objects/pods_fingerprint.h"

#include <xxhash.h>

#include <algorithm>
#include <array>

namespace trellis {
namespace {

std::array<char, 8> little_endian(uint64_t value) {
  std::array<char, 8> bytes{};
  for (char& byte : bytes) {
    byte = static_cast<char>(value & 0xff);
    value >>= 8;
  }
  return bytes;
}

std::string hex(uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; value >>= 4) text[i] = kDigits[value & 0xf];
  return text;
}

}  // namespace

void PodsFingerprint::add(std::string_view name_space, std::string_view name) {
  uint64_t seed = XXH64(name_space.data(), name_space.size(), 0);
  pods_.push_back(XXH64(name.data(), name.size(), seed));
}

std::string PodsFingerprint::text() const {
  std::vector<uint64_t> sorted = pods_;
  std::sort(sorted.begin(), sorted.end());
  std::string bytes;
  for (uint64_t pod : sorted) {
    std::array<char, 8> part = little_endian(pod);
    bytes.append(part.data(), part.size());
  }
  return "pfp0v001" + hex(XXH64(bytes.data(), bytes.size(), 0));
}

}  // namespace trellis
