#include "topology/segment_division.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/world.h"
#include "topology/tree.h"

namespace trellis::segment_division_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Shares = std::vector<std::pair<std::string, int64_t>>;

// Racks that take so many pods each, by name; of block b where the name does not say (b1/r1).
class Racks {
 public:
  explicit Racks(const std::map<std::string, int32_t>& racks) {
    Topology topology = make_topology(vocabulary_, "t", {"block", "rack"});
    std::vector<NodeId> ids;
    for (const auto& [rack, pods] : racks) {
      NodeArgs args;
      size_t slash = rack.find('/');
      bool named = slash != std::string::npos;
      args.labels = {{"block", named ? rack.substr(0, slash) : "b"},
                     {"rack", named ? rack.substr(slash + 1) : rack}};
      // Two nodes a rack, so that a rack is more than its node.
      for (const char* half : {"-0", "-1"}) {
        ids.push_back(nodes_.push_back(make_node(vocabulary_, rack + half, args)));
        fits_.push_back(half[1] == '0' ? pods / 2 : pods - pods / 2);
      }
    }
    tree_ = TopologyTree(topology, ids, nodes_, vocabulary_.strings);
    counts_ = DomainCounts(tree_, fits_);
  }

  Shares in_segments(int64_t pods, int64_t size) const { return in_layers(pods, {{1, size}}); }

  // Coarse to fine.
  Shares in_layers(int64_t pods, const std::vector<SegmentLevel>& layers) const {
    DomainCounts whole(tree_, counts_, layers);
    RowDemand row{&counts_, pods};
    DomainQuery query{&tree_, {&row, 1}, Strategy::Binpack, nullptr, 0};
    return named(divide_segments({query, &whole, layers}, tree_.root()));
  }

  Shares balanced(int64_t pods) const {
    RowDemand row{&counts_, pods};
    DomainQuery query{&tree_, {&row, 1}, Strategy::Binpack, nullptr, 1};
    return named(divide(query, tree_.root(), 1));
  }

 private:
  Shares named(const DomainParts& parts) const {
    Shares shares;
    for (const DomainPart& part : parts) {
      shares.emplace_back(vocabulary_.strings.view(tree_.value(part.domain)), part.pods);
    }
    return shares;
  }

  Vocabulary vocabulary_;
  IndexedVector<NodeId, Node> nodes_;
  IndexedVector<NodeId, int32_t> fits_;
  TopologyTree tree_;
  DomainCounts counts_;
};

TEST(SegmentDivision, WholeSegmentsInAsFewRacksAsPossible) {
  Racks racks({{"r1", 5}, {"r2", 9}, {"r3", 7}});
  EXPECT_THAT(racks.in_segments(8, 4), ElementsAre(Pair("r2", 8)));
  EXPECT_THAT(racks.in_segments(12, 4), ElementsAre(Pair("r2", 8), Pair("r1", 4)));
  EXPECT_THAT(racks.in_segments(20, 4), IsEmpty());  // 21 pods fit, but only four segments
}

TEST(SegmentDivision, RestJoinsARackThatIsUsedAndComesLast) {
  Racks racks({{"r1", 6}, {"r2", 8}});
  EXPECT_THAT(racks.in_segments(14, 4), ElementsAre(Pair("r2", 8), Pair("r1", 6)));
  EXPECT_THAT(racks.in_segments(9, 4), ElementsAre(Pair("r2", 8), Pair("r1", 1)));
}

TEST(SegmentDivision, RestAloneAndRestThatFindsNoRack) {
  Racks racks({{"r1", 3}, {"r2", 4}});
  EXPECT_THAT(racks.in_segments(3, 8), ElementsAre(Pair("r1", 3)));
  EXPECT_THAT(racks.in_segments(7, 4), ElementsAre(Pair("r2", 4), Pair("r1", 3)));
  EXPECT_THAT(racks.in_segments(5, 8), IsEmpty());  // the one segment shares no rack
}

TEST(SegmentDivision, OfEqualRacksTheFirstTakesTheRest) {
  Racks racks({{"r1", 4}, {"r2", 3}, {"r3", 3}});
  EXPECT_THAT(racks.in_segments(5, 4), ElementsAre(Pair("r1", 4), Pair("r2", 1)));
}

// Block b1 has four places beside a segment of eight, but in no one rack.
TEST(SegmentDivision, TheRestOfACoarseLayerKeepsFineSegmentsWhole) {
  Racks racks({{"b1/r1", 6}, {"b1/r2", 6}, {"b2/r3", 4}});
  EXPECT_THAT(racks.in_layers(12, {{0, 8}, {1, 4}}),
              ElementsAre(Pair("r1", 4), Pair("r2", 4), Pair("r3", 4)));
}

TEST(BalancedDivision, AsEvenAsTheFewestRacksAllow) {
  Racks racks({{"r1", 9}, {"r2", 5}, {"r3", 5}, {"r4", 1}});
  EXPECT_THAT(racks.balanced(10), ElementsAre(Pair("r2", 5), Pair("r3", 5)));
  EXPECT_THAT(racks.balanced(9), ElementsAre(Pair("r1", 9)));
  EXPECT_THAT(racks.balanced(13), ElementsAre(Pair("r1", 8), Pair("r2", 5)));
  EXPECT_THAT(racks.balanced(16), ElementsAre(Pair("r1", 6), Pair("r2", 5), Pair("r3", 5)));
}

}  // namespace
}  // namespace trellis::segment_division_test
