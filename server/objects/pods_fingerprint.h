// The fingerprint of a set of pods, as agents that report zones compute it. It shows whether a
// report was made from the same pods that we know of.
//
// "pfp0v001" and 16 hex digits: xxh64 over the sorted hashes of the pods as little-endian numbers;
// the hash of a pod is xxh64 of its name, with xxh64 of its namespace as the seed. The order of the
// pods does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

inline constexpr std::string_view kFingerprintAttribute = "nodeTopologyPodsFingerprint";
inline constexpr std::string_view kFingerprintMethodAttribute = "nodeTopologyPodsFingerprintMethod";
inline constexpr std::string_view kExclusiveMethod = "with-exclusive-resources";

class PodsFingerprint {
 public:
  void add(std::string_view name_space, std::string_view name);
  std::string text() const;

 private:
  std::vector<uint64_t> pods_;
};

}  // namespace trellis
