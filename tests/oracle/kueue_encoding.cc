#include "tests/oracle/kueue_encoding.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace trellis::oracle {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Domains = std::vector<EncodedDomain>;
using Texts = std::vector<std::string>;

constexpr size_t kMostSlices = 1000;
constexpr size_t kMostDomains = 100000;

bool all_begin(const Texts& texts, const std::string& prefix) {
  return std::all_of(texts.begin(), texts.end(), [&](auto& t) { return t.starts_with(prefix); });
}

bool all_end(const Texts& texts, const std::string& suffix) {
  return std::all_of(texts.begin(), texts.end(), [&](auto& t) { return t.ends_with(suffix); });
}

OrderedJson level_json(const Texts& texts) {
  if (std::set<std::string>(texts.begin(), texts.end()).size() == 1) {
    return {{"universal", texts.front()}};
  }
  std::string prefix = texts.front();
  while (!all_begin(texts, prefix)) prefix.pop_back();
  std::string suffix = texts.front();
  while (!all_end(texts, suffix)) suffix.erase(0, 1);
  size_t shortest = prefix.size() + suffix.size();
  for (const std::string& text : texts) shortest = std::min(shortest, text.size());
  while (prefix.size() + suffix.size() > shortest) prefix.pop_back();

  OrderedJson parts = OrderedJson::object();
  if (!prefix.empty()) parts["prefix"] = prefix;
  if (!suffix.empty()) parts["suffix"] = suffix;
  for (const std::string& text : texts) {
    parts["roots"].push_back(
        text.substr(prefix.size(), text.size() - prefix.size() - suffix.size()));
  }
  return {{"individual", parts}};
}

OrderedJson slice_json(const Domains& domains) {
  OrderedJson slice;
  slice["domainCount"] = domains.size();
  slice["valuesPerLevel"] = OrderedJson::array();
  for (size_t level = 0; level < domains.front().path.size(); ++level) {
    Texts texts;
    for (const EncodedDomain& domain : domains) texts.push_back(domain.path[level]);
    slice["valuesPerLevel"].push_back(level_json(texts));
  }
  std::vector<int32_t> counts;
  for (const EncodedDomain& domain : domains) counts.push_back(domain.count);
  bool equal = std::set<int32_t>(counts.begin(), counts.end()).size() == 1;
  if (equal) {
    slice["podCounts"]["universal"] = counts.front();
  } else {
    slice["podCounts"]["individual"] = counts;
  }
  return slice;
}

// "a-b-7": "a-", "a-b-". A dash at the very end makes none.
Texts prefixes(const std::string& name) {
  Texts all;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] == '-') all.push_back(name.substr(0, i + 1));
  }
  return all;
}

std::vector<Domains> runs(const Domains& domains, const Texts& keys) {
  std::vector<Domains> all;
  for (size_t i = 0; i < domains.size(); ++i) {
    bool fresh = i == 0 || keys[i] != keys[i - 1] || all.back().size() == kMostDomains;
    if (fresh) all.emplace_back();
    all.back().push_back(domains[i]);
  }
  return all;
}

std::vector<Domains> runs_of_prefixes(const Domains& domains) {
  std::map<std::string, size_t> uses;
  size_t deepest = 0;
  for (const EncodedDomain& domain : domains) {
    Texts all = prefixes(domain.path.back());
    for (const std::string& prefix : all) ++uses[prefix];
    deepest = std::max(deepest, all.size());
  }
  for (size_t depth = deepest; depth > 0; --depth) {
    Texts keys;
    for (const EncodedDomain& domain : domains) {
      Texts all = prefixes(domain.path.back());
      all.resize(std::min(all.size(), depth));
      while (!all.empty() && uses[all.back()] < 2) all.pop_back();
      keys.push_back(all.empty() ? "" : all.back());
    }
    std::vector<Domains> found = runs(domains, keys);
    if (found.size() <= kMostSlices) return found;
  }
  return runs(domains, Texts(domains.size()));
}

std::string text_of(const Texts& levels, const std::vector<Domains>& slices) {
  OrderedJson json;
  json["levels"] = levels;
  json["slices"] = OrderedJson::array();
  for (const Domains& domains : slices) json["slices"].push_back(slice_json(domains));
  return json.dump();
}

}  // namespace

std::string kueue_encoding(const Texts& levels, const Domains& domains) {
  std::vector<Domains> whole = runs(domains, Texts(domains.size()));
  bool by_hostname = levels.back() == "kubernetes.io/hostname";
  std::vector<Domains> split = by_hostname ? runs_of_prefixes(domains) : whole;
  std::string text = text_of(levels, split);
  if (split.size() <= 1 || domains.size() > kMostDomains) return text;
  std::string other = text_of(levels, whole);
  return other.size() < text.size() ? other : text;
}

}  // namespace trellis::oracle
