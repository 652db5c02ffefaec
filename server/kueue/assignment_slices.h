// Cuts an assignment into the slices of Kueue's compact form, and finds what the domains of a slice
// have in common.
//
// A slice is a run of consecutive domains, so the order of domains stays. Each level of a slice is
// one value for all its domains, or a prefix, a suffix and the text between them of each domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "server/kueue/assignment_text.h"

namespace trellis {

// The bounds of Kueue's API.
inline constexpr size_t kMostSlices = 1000;
inline constexpr size_t kMostSliceDomains = 100000;

struct SliceLevel {
  std::string_view prefix;
  std::string_view suffix;
  bool universal = false;  // all values are `prefix`
};

struct AssignmentSlice {
  size_t begin = 0;
  size_t end = 0;
  bool equal_counts = false;
  std::vector<SliceLevel> levels;
};

class AssignmentSlicer {
 public:
  // Reads every value once, O(text); later calls read few. The assignment must outlive this object.
  explicit AssignmentSlicer(const AssignmentText& assignment);

  // As few slices as the API allows; none for an assignment without domains. O(values).
  std::vector<AssignmentSlice> whole() const;

  // Where the lowest level is the hostname, cuts as Kueue does: the key of a domain is the longest
  // part of its name that ends with '-' and with which a neighbour begins too; consecutive domains
  // with one key are a slice. When these would be more than kMostSlices, all keys are cut to the
  // same smaller number of parts. Without hostnames as whole(). O(values + domains * log(parts of a
  // name)).
  std::vector<AssignmentSlice> by_prefix() const;

 private:
  void compare_neighbours(size_t level);
  SliceLevel common_parts(size_t level, size_t begin, size_t end) const;
  void add_run(size_t begin, size_t end, std::vector<AssignmentSlice>& slices) const;

  const AssignmentText& assignment_;
  // The bytes that a domain and the next have in common: at [level * domains + domain].
  std::vector<uint32_t> prefixes_;
  std::vector<uint32_t> suffixes_;
  std::vector<uint32_t> parts_;  // in parts of a name, at the lowest level; may be empty
};

}  // namespace trellis
