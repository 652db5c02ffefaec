// A live cluster's objects, one a text, that change at random: names are few, so that owners,
// groups, claims and workloads find each other, and clash.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "server/manifest/manifest.h"

namespace trellis::test {

class RandomTexts {
 public:
  explicit RandomTexts(uint64_t seed) : random_(seed) {}

  // A few objects come, change, or go: what became of their texts.
  std::vector<NamedText> step(int changes);
  // All there are, by name.
  std::vector<NamedText> all() const;

 private:
  struct Slot;
  int below(int bound) { return static_cast<int>(random_() % static_cast<uint64_t>(bound)); }
  bool one_in(int bound) { return below(bound) == 0; }
  std::string pick(const std::vector<std::string>& words);

  std::string owners();
  std::string metadata(const std::string& name_space, const std::string& name,
                       const std::vector<std::string>& labels,
                       const std::vector<std::string>& annotations, const std::string& rest);
  std::vector<std::string> gang_annotations();
  std::string pod(const std::string& name_space, const std::string& name);
  std::string resource_claim(const std::string& name_space, const std::string& name);
  std::string pod_group(const std::string& name_space, const std::string& name);
  std::string owner(const std::string& kind, const std::string& name_space,
                    const std::string& name);
  std::string workload(const std::string& name_space, const std::string& name);
  std::string numa(const std::string& name);
  std::string core_group(const std::string& kind, const std::string& name_space,
                         const std::string& name);
  std::string volume_claim(const std::string& name_space, const std::string& name);
  std::string storage(const std::string& kind, const std::string& name);
  std::string far_reaching(const std::string& kind, const std::string& name);
  std::string make(const Slot& slot);

  std::mt19937_64 random_;
  std::map<std::string, StoredText> texts_;
  std::map<std::string, std::string> nodes_;  // of "namespace/pod" that counts on it
};

}  // namespace trellis::test
