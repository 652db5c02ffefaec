// Names of nodes as clouds make them, and as no cloud should. Headers only, so that benchmarks can
// use them too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/support/random.h"

namespace trellis {

struct NodeNaming {
  const char* scheme;
  std::function<std::string(size_t, Random&)> name;  // of the node with a number
};

namespace node_names {

inline std::string hex(Random& random, size_t length) {
  std::string text;
  for (size_t i = 0; i < length; ++i) text += "0123456789abcdef"[random.below(16)];
  return text;
}

template <class... Args>
std::string print(const char* form, Args... args) {
  char text[128];
  std::snprintf(text, sizeof text, form, args...);
  return text;
}

// Always the same for a number, as pools and regions have one name.
inline std::string fixed_hex(uint64_t number, size_t length) {
  Random random(number + 1);
  return hex(random, length);
}

inline std::string address(size_t node) {
  return print("100.%zu.%zu.%zu", 100 + (node >> 16), (node >> 8) & 255, node & 255);
}

inline std::string gke(size_t node) {
  size_t pool = node % 1000;
  return print("gke-cluster-pool-%04zu-%08zx-%04zx", pool, pool, node / 1000);
}

inline std::string pooled(size_t node, size_t pools, Random& random) {
  return "aaaaaaaaaaaa-" + fixed_hex(node % pools, 22) + "-" + hex(random, 8) + "-aaaaaaaaaaaa";
}

inline std::string regional(size_t node, size_t regions) {
  return "aaaaaaaaaaaa-" + fixed_hex(node % regions, 14) + "-" + address(node) + "-aaaaaaaaaaaa";
}

inline std::string letters(Random& random, bool many_dashes) {
  std::string text;
  for (size_t length = 10 + random.below(21); text.size() < length;) {
    text += static_cast<char>('a' + random.below(26));
  }
  if (many_dashes) {
    for (size_t at = 2; at + 1 < text.size(); at += 3) text[at] = '-';
  } else {
    text[1 + random.below(static_cast<uint32_t>(text.size() - 2))] = '-';
  }
  return text;
}

// Few letters, so that names begin and end alike, overlap, and are parts of each other.
inline std::string nested(Random& random) {
  std::string text = "a";
  for (size_t length = random.below(40); text.size() < length;) text += "ab-"[random.below(3)];
  return text;
}

// What no label may hold, but JSON must carry.
inline std::string foreign(Random& random) {
  static const std::vector<std::string> kPieces = {
      "\xC3\xA9", "\xC3\xA8", "\xE2\x82\xAC", "\"", "\\", "\n", "-", "x"};
  std::string text;
  for (size_t left = 1 + random.below(12); left > 0; --left) text += random.pick(kPieces);
  return text;
}

}  // namespace node_names

inline const std::vector<NodeNaming>& node_namings() {
  namespace names = node_names;
  static const std::vector<NodeNaming> kNamings = {
      {"gke", [](size_t node, Random&) { return names::gke(node); }},
      {"pools:1000", [](size_t node, Random& random) { return names::pooled(node, 1000, random); }},
      {"pools:10", [](size_t node, Random& random) { return names::pooled(node, 10, random); }},
      {"regions:100", [](size_t node, Random&) { return names::regional(node, 100); }},
      {"regions:1", [](size_t node, Random&) { return names::regional(node, 1); }},
      {"eks",
       [](size_t node, Random&) {
         return names::print("ip-100-%zu-%zu-%zu.us-west-2.compute.internal", 100 + (node >> 16),
                             (node >> 8) & 255, node & 255);
       }},
      {"aks",
       [](size_t node, Random&) {
         size_t pool = node % 1000;
         return names::print("aks-nodepool%04zu-%08zx-vmss%06zu", pool, pool, node / 1000);
       }},
      {"flat", [](size_t node, Random&) { return names::print("node-%06zu", node); }},
      {"uuid",
       [](size_t, Random& random) {
         return names::hex(random, 8) + "-" + names::hex(random, 4) + "-4" + names::hex(random, 3) +
                "-a" + names::hex(random, 3) + "-" + names::hex(random, 12);
       }},
      {"one dash", [](size_t, Random& random) { return names::letters(random, false); }},
      {"many dashes", [](size_t, Random& random) { return names::letters(random, true); }},
      {"nested", [](size_t, Random& random) { return names::nested(random); }},
      {"foreign", [](size_t, Random& random) { return names::foreign(random); }},
  };
  return kNamings;
}

// That many different names, sorted; fewer where the scheme runs out of them.
inline std::vector<std::string> make_node_names(const NodeNaming& naming, size_t nodes,
                                                uint64_t seed) {
  Random random(seed);
  std::unordered_set<std::string> seen;
  for (size_t node = 0; node < nodes; ++node) seen.insert(naming.name(node, random));
  std::vector<std::string> names(seen.begin(), seen.end());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace trellis
