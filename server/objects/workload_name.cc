#include "server/objects/workload_name.h"

#include <openssl/sha.h>

#include <array>
#include <cstddef>

namespace trellis {

std::string workload_name(const WorkloadOwner& owner) {
  constexpr size_t kLongest = 253;
  constexpr size_t kHashLength = 5;
  constexpr std::string_view kDigits = "0123456789abcdef";

  std::string hashed;
  for (std::string_view part : {owner.kind, owner.group, owner.name, owner.uid}) {
    if (!hashed.empty()) hashed += '\n';
    hashed += part;
  }
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(hashed.data()), hashed.size(), digest.data());

  std::string name;
  for (char c : owner.kind) {
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  name += '-';
  name += owner.name;
  if (name.size() > kLongest - 1 - kHashLength) name.resize(kLongest - 1 - kHashLength);
  name += '-';
  for (size_t i = 0; i < kHashLength; ++i) {
    unsigned char byte = digest[i / 2];
    name += kDigits[i % 2 == 0 ? byte >> 4 : byte & 15];
  }
  return name;
}

}  // namespace trellis
