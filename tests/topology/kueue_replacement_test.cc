#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/node.h"
#include "framework/string_table.h"
#include "framework/topology.h"
#include "topology/kueue_placement.h"

namespace trellis::kueue_replacement_test {
namespace {

// Two racks, r0 and r1, of four nodes each: leaves 0 to 3 and 4 to 7, racks 8 and 9.
class KueueReplacementTest : public testing::Test {
 protected:
  KueueReplacementTest() {
    StrId rack = strings_.intern("rack");
    StrId name = strings_.intern("name");
    topology_.levels = {{rack, StrId()}, {name, StrId()}};
    IndexedVector<NodeId, Node> records;
    std::vector<NodeId> ids;
    for (int i = 0; i < 8; ++i) {
      Node node;
      node.name = "n" + std::to_string(i);
      node.labels = {{rack, strings_.intern("r" + std::to_string(i / 4))},
                     {name, strings_.intern(node.name)}};
      ids.push_back(records.push_back(std::move(node)));
    }
    tree_ = TopologyTree(topology_, ids, records, strings_);
  }

  KueueReplacement ask(const KueueRequest& request, const std::vector<DomainPods>& left,
                       int64_t missing) {
    return kueue_replacement(tree_, request, left, missing);
  }

  StringTable strings_;
  Topology topology_;
  TopologyTree tree_;
};

constexpr DomainId kRack0{8U};
constexpr DomainId kRack1{9U};

TEST_F(KueueReplacementTest, StaysInTheRequiredDomain) {
  std::vector<DomainPods> left = {{DomainId(4), 2}, {DomainId(5), 2}};
  KueueRequest request{KueueMode::Required, 0, 6, {}, {}};
  EXPECT_EQ(ask(request, left, 2).within, kRack1);
  EXPECT_FALSE(ask(request, left, 2).other_segments);
  request.mode = KueueMode::Preferred;
  EXPECT_FALSE(ask(request, left, 2).within.valid());
  request.mode = KueueMode::Required;
  EXPECT_FALSE(ask(request, {}, 2).within.valid());
}

TEST_F(KueueReplacementTest, MendsABrokenSegmentInItsDomain) {
  std::vector<DomainPods> left = {{DomainId(0), 2}, {DomainId(1), 2}, {DomainId(4), 2}};
  SegmentLevel four{0, 4};
  KueueRequest request{KueueMode::Unconstrained, 0, 8, {&four, 1}, {}};
  KueueReplacement replacement = ask(request, left, 2);
  EXPECT_EQ(replacement.within, kRack1);
  EXPECT_TRUE(replacement.other_segments);
  EXPECT_FALSE(replacement.segment.has_value());
  // A whole segment is lost: it may go anywhere.
  replacement = ask(request, {{DomainId(0), 2}, {DomainId(1), 2}}, 4);
  EXPECT_FALSE(replacement.within.valid());
  EXPECT_FALSE(replacement.other_segments);
}

TEST_F(KueueReplacementTest, KeepsTheInnermostLayerThatIsWhole) {
  std::vector<SegmentLevel> layers = {{0, 4}, {1, 2}};
  KueueRequest request{KueueMode::Unconstrained, 0, 4, layers, {}};
  KueueReplacement replacement = ask(request, {{DomainId(0), 2}}, 2);
  EXPECT_EQ(replacement.within, kRack0);
  ASSERT_TRUE(replacement.segment.has_value());
  EXPECT_EQ(replacement.segment->level, 1);
  EXPECT_EQ(replacement.segment->size, 2);
  // Half a pair is lost: only its node can mend it.
  replacement = ask(request, {{DomainId(0), 2}, {DomainId(1), 1}}, 1);
  EXPECT_EQ(replacement.within, DomainId(1));
  EXPECT_FALSE(replacement.segment.has_value());
}

}  // namespace
}  // namespace trellis::kueue_replacement_test
