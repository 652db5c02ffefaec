#include "server/kueue/assignment_slices.h"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <span>
#include <utility>

#include "framework/topology.h"

namespace trellis {
namespace {

// Names are anywhere in memory: prefetched so far ahead, they are in the cache when they are read.
constexpr size_t kNamesAhead = 16;

uint32_t common_prefix(std::string_view a, std::string_view b) {
  size_t most = std::min(a.size(), b.size());
  size_t at = 0;
  while (at + 8 <= most && std::memcmp(a.data() + at, b.data() + at, 8) == 0) at += 8;
  while (at < most && a[at] == b[at]) ++at;
  return static_cast<uint32_t>(at);
}

uint32_t common_suffix(std::string_view a, std::string_view b) {
  size_t most = std::min(a.size(), b.size());
  size_t length = 0;
  while (length < most && a[a.size() - 1 - length] == b[b.size() - 1 - length]) ++length;
  return static_cast<uint32_t>(length);
}

// Whether the byte is inside a character of several bytes: text must not be cut before such a byte.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Counts the parts that each name has in common with the one before: "a-b-7" has the parts "a-" and
// "b-", which make keys; the last part makes none.
class PartCounter {
 public:
  uint32_t common(std::string_view before, std::string_view name, size_t common_length) {
    while (!dashes_.empty() && dashes_.back() >= common_length) dashes_.pop_back();
    // A key leaves some text of each name.
    bool at_end = !dashes_.empty() && dashes_.back() + 1 == std::min(before.size(), name.size());
    auto parts = static_cast<uint32_t>(dashes_.size() - (at_end ? 1 : 0));
    for (size_t at = common_length; at < name.size(); ++at) {
      if (name[at] == '-') dashes_.push_back(at);
    }
    return parts;
  }

 private:
  std::vector<size_t> dashes_;  // of the name before
};

// Keys of at most `most` parts.
class Keys {
 public:
  Keys(std::span<const uint32_t> common, uint32_t most) : common_(common), most_(most) {}

  // Whether the keys of a domain and the next differ.
  bool differ(size_t domain) const {
    uint32_t common = common_[domain];
    if (common >= most_) return false;
    return parts(domain) != common || parts(domain + 1) != common;
  }

  size_t slices() const {
    size_t count = 0;
    size_t begin = 0;
    for (size_t end = 1; end <= common_.size(); ++end) {
      if (end < common_.size() && !differ(end - 1)) continue;
      count += (end - begin + kMostSliceDomains - 1) / kMostSliceDomains;
      begin = end;
    }
    return count;
  }

 private:
  uint32_t parts(size_t domain) const {
    uint32_t before = domain == 0 ? 0 : common_[domain - 1];
    return std::max(before, common_[domain]);  // 0 after the last domain
  }

  std::span<const uint32_t> common_;
  uint32_t most_;
};

// The longest keys that make at most kMostSlices slices.
Keys longest_keys(std::span<const uint32_t> common) {
  uint32_t most = *std::max_element(common.begin(), common.end());
  // Shorter keys never make more slices.
  auto lengths = std::views::iota(1U, most + 1);
  auto beyond = std::ranges::partition_point(
      lengths, [&](uint32_t length) { return Keys(common, length).slices() <= kMostSlices; });
  return {common, static_cast<uint32_t>(beyond - lengths.begin())};
}

}  // namespace

AssignmentSlicer::AssignmentSlicer(const AssignmentText& assignment) : assignment_(assignment) {
  size_t levels = assignment.levels.size();
  prefixes_.resize(levels * assignment.domains());
  suffixes_.resize(levels * assignment.domains());
  bool by_hostname = levels > 0 && assignment.levels.back() == kHostname;
  if (by_hostname && assignment.domains() > 1) parts_.resize(assignment.domains());
  for (size_t level = 0; level < levels; ++level) compare_neighbours(level);
}

void AssignmentSlicer::compare_neighbours(size_t level) {
  size_t domains = assignment_.domains();
  bool count_parts = !parts_.empty() && level + 1 == assignment_.levels.size();
  PartCounter counter;
  std::string_view before;
  for (size_t domain = 0; domain < domains; ++domain) {
    if (domain + kNamesAhead < domains) {
      std::string_view later = assignment_.value(domain + kNamesAhead, level);
      __builtin_prefetch(later.data());
      __builtin_prefetch(later.data() + later.size());
    }
    std::string_view value = assignment_.value(domain, level);
    uint32_t prefix = common_prefix(before, value);
    uint32_t parts = count_parts ? counter.common(before, value, prefix) : 0;
    if (domain > 0) {
      prefixes_[level * domains + domain - 1] = prefix;
      suffixes_[level * domains + domain - 1] = common_suffix(before, value);
      if (count_parts) parts_[domain - 1] = parts;
    }
    before = value;
  }
}

SliceLevel AssignmentSlicer::common_parts(size_t level, size_t begin, size_t end) const {
  std::string_view first = assignment_.value(begin, level);
  size_t prefix = first.size();
  size_t suffix = first.size();
  size_t shortest = first.size();
  size_t longest = first.size();
  size_t offset = level * assignment_.domains();
  for (size_t domain = begin + 1; domain < end; ++domain) {
    size_t length = assignment_.value(domain, level).size();
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
    prefix = std::min<size_t>(prefix, prefixes_[offset + domain - 1]);
    suffix = std::min<size_t>(suffix, suffixes_[offset + domain - 1]);
  }
  if (prefix == longest) return {.prefix = first, .universal = true};
  while (suffix > 0 && continues(first[first.size() - suffix])) --suffix;
  prefix = std::min(prefix, shortest - suffix);
  while (prefix > 0 && prefix < first.size() && continues(first[prefix])) --prefix;
  return {.prefix = first.substr(0, prefix), .suffix = first.substr(first.size() - suffix)};
}

void AssignmentSlicer::add_run(size_t begin, size_t end,
                               std::vector<AssignmentSlice>& slices) const {
  for (; begin < end; begin += kMostSliceDomains) {
    size_t behind = std::min(end, begin + kMostSliceDomains);
    AssignmentSlice slice{.begin = begin, .end = behind};
    auto counts = assignment_.counts.subspan(begin, behind - begin);
    slice.equal_counts = std::all_of(counts.begin(), counts.end(),
                                     [&](int32_t count) { return count == counts.front(); });
    slice.levels.reserve(assignment_.levels.size());
    for (size_t level = 0; level < assignment_.levels.size(); ++level) {
      slice.levels.push_back(common_parts(level, begin, behind));
    }
    slices.push_back(std::move(slice));
  }
}

std::vector<AssignmentSlice> AssignmentSlicer::whole() const {
  std::vector<AssignmentSlice> slices;
  add_run(0, assignment_.domains(), slices);
  return slices;
}

std::vector<AssignmentSlice> AssignmentSlicer::by_prefix() const {
  if (parts_.empty()) return whole();
  Keys keys = longest_keys(parts_);
  std::vector<AssignmentSlice> slices;
  size_t begin = 0;
  for (size_t end = 1; end <= assignment_.domains(); ++end) {
    if (end < assignment_.domains() && !keys.differ(end - 1)) continue;
    add_run(begin, end, slices);
    begin = end;
  }
  return slices;
}

}  // namespace trellis
