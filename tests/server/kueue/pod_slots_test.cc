#include "server/kueue/pod_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace trellis {
namespace {

constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";
constexpr const char* kSubGroup = "jobset.sigs.k8s.io/job-index";
constexpr int32_t kNo = kNoDomain;

using Texts = std::vector<std::pair<std::string, std::string>>;

// A PodSet whose assignment is two pods in each of b1/r1 and b1/r2, and one in b2/r1.
class Slots {
 public:
  Slots() {
    assignment_.levels = {id("block"), id("rack")};
    assignment_.values = {id("b1"), id("r1"), id("b1"), id("r2"), id("b2"), id("r1")};
    assignment_.counts = {2, 2, 1};
    request_.index_label = id(kIndex);
  }

  void gated(const std::string& uid, const Texts& labels) {
    pods_.push_back({.uid = keep(uid), .labels = keep(labels), .gated = true});
  }
  void free(const std::string& uid, const Texts& labels, const Texts& selector,
            const Texts& node = {}) {
    pods_.push_back({.uid = keep(uid),
                     .labels = keep(labels),
                     .node_selector = keep(selector),
                     .node_labels = keep(node)});
  }
  void sent(const std::string& uid, int32_t domain) { sent_.push_back({keep(uid), domain}); }
  void reverse() { std::reverse(pods_.begin(), pods_.end()); }

  std::vector<int32_t> answer() const {
    PodSetSlots set{.assignment = assignment_,
                    .request = request_,
                    .pods = count,
                    .leaders = leaders,
                    .index_offset = index_offset,
                    .closed = closed};
    return slots_of_pods(set, pods_, sent_, strings_);
  }
  void use_sub_groups(int32_t parts) {
    request_.sub_group_label = id(kSubGroup);
    request_.sub_groups = parts;
  }

  int32_t count = 5;
  int32_t leaders = 0;
  int32_t index_offset = 0;
  std::vector<int32_t> closed;

 private:
  StrId id(const std::string& text) { return strings_.intern(text); }
  std::string_view keep(const std::string& text) { return strings_.view(id(text)); }
  std::span<const Label> keep(const Texts& texts) {
    Labels& labels = kept_.emplace_back();
    for (const auto& [key, value] : texts) labels.push_back({id(key), id(value)});
    std::sort(labels.begin(), labels.end());
    return labels;
  }

  StringTable strings_;
  TopologyAssignment assignment_;
  TopologyRequest request_;
  std::deque<Labels> kept_;
  std::vector<PodOfSet> pods_;
  std::vector<SentUngating> sent_;
};

Texts index(const std::string& value) { return {{kIndex, value}}; }

TEST(PodSlots, ByIndex) {
  Slots slots;
  slots.gated("a", index("4"));
  slots.gated("b", index("1"));
  slots.free("c", index("2"), {{"block", "b1"}, {"rack", "r2"}, {"disk", "ssd"}});
  slots.gated("d", index("3"));
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{2, 0, kNo, 1}));
}

TEST(PodSlots, GreedyByUidWithoutIndices) {
  for (bool turned : {false, true}) {
    Slots slots;
    slots.gated("a", {});
    slots.gated("b", index("one"));
    slots.gated("c", index("1x"));
    slots.gated("d", index("-1"));
    if (turned) slots.reverse();
    std::vector<int32_t> given = slots.answer();
    if (turned) std::reverse(given.begin(), given.end());
    EXPECT_EQ(given, (std::vector<int32_t>{0, 0, 1, 1}));
  }
}

TEST(PodSlots, APodThatRunsElsewhereThanItsRankSays) {
  Slots slots;
  slots.free("a", index("0"), {{"block", "b2"}, {"rack", "r1"}});
  slots.gated("b", index("4"));
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{kNo, 0}));
}

TEST(PodSlots, TheNodeSaysWhereTheSelectorDoesNot) {
  Slots slots;
  slots.free("a", index("0"), {{"rack", "r1"}}, {{"block", "b1"}, {"rack", "r9"}});
  slots.gated("b", index("4"));
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{kNo, 2}));
}

TEST(PodSlots, SubGroups) {
  Slots slots;
  slots.count = 4;
  slots.use_sub_groups(2);
  slots.gated("a", {{kIndex, "0"}, {kSubGroup, "1"}});
  slots.gated("b", {{kIndex, "1"}, {kSubGroup, "0"}});
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{1, 0}));
  slots.gated("c", {{kIndex, "0"}});
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{0, 0, 1}));
}

TEST(PodSlots, WorkersBehindTheirLeader) {
  Slots slots;
  slots.leaders = 1;
  slots.gated("a", index("1"));
  slots.gated("b", index("5"));
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{0, 2}));
  slots.index_offset = 1;
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{0, 0}));
}

TEST(PodSlots, WhatWasSentHoldsItsSlot) {
  Slots slots;
  slots.gated("a", index("0"));
  slots.gated("b", index("1"));
  slots.sent("a", 0);
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{kNo, 0}));
  // Of a pod that is not there to be seen.
  slots.sent("z", 0);
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{kNo, kNo}));
  // It was seen: its selector says where it went.
  slots.free("c", index("4"), {{"block", "b2"}, {"rack", "r1"}});
  slots.sent("c", 2);
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{kNo, kNo, kNo}));
}

TEST(PodSlots, FailedNodesTakeNone) {
  Slots slots;
  slots.closed = {0};
  slots.gated("a", index("0"));
  slots.gated("b", index("2"));
  EXPECT_EQ(slots.answer(), (std::vector<int32_t>{kNo, 1}));
}

}  // namespace
}  // namespace trellis
