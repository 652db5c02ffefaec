#include "server/kube/lead/lease_name.h"

#include <xxhash.h>

#include "server/kube/client/cluster_access.h"

namespace trellis {
namespace {

constexpr std::string_view kLeaseName = "trellis";
constexpr std::string_view kControlPlane = "kube-system";

char name_letter(char c) {
  bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  if (good) return c;
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '-';
}

std::string hash_text(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr int kLength = 8;
  uint64_t hash = XXH3_64bits(text.data(), text.size());
  std::string digits;
  for (int i = 0; i < kLength; ++i, hash >>= 4) digits += kDigits[hash & 15];
  return digits;
}

}  // namespace

std::string lease_name(std::string_view shard_value) {
  if (shard_value.empty()) return std::string(kLeaseName);
  std::string name = std::string(kLeaseName) + "-";
  std::string word;
  for (char c : shard_value) word += name_letter(c);
  bool same = word == shard_value && word.back() != '-';
  return name + word + (same ? "" : "-" + hash_text(shard_value));
}

std::string lease_namespace(const std::string& folder) {
  Result<std::string> text = GivenText{.text = "", .file = folder + "/namespace"}.read();
  if (!text) return std::string(kControlPlane);
  std::string_view name = *text;
  name = name.substr(0, name.find_first_of("\r\n \t"));
  return std::string(name.empty() ? kControlPlane : name);
}

}  // namespace trellis
