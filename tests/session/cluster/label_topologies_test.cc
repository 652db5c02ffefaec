// The topologies of single labels: there as long as a gang names them.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "session/cluster/cluster.h"

namespace trellis::label_topologies_test {
namespace {

constexpr const char* kName = "label:example.com:rack";

class LabelTopologies : public ::testing::Test {
 protected:
  TopologyConstraint rack() {
    StringTable& strings = cluster_.vocabulary().strings;
    StrId label = strings.intern("example.com/rack");
    return {strings.intern(label_topology_name("example.com/rack")), label, StrId()};
  }

  Gang gang(const std::string& name) {
    Gang gang;
    gang.name_space = cluster_.vocabulary().strings.intern("default");
    gang.name = name;
    return gang;
  }

  void add(const std::string& name) {
    Gang made = gang(name);
    made.topology = rack();
    cluster_.upsert(std::move(made));
  }

  bool there() const { return cluster_.find_topology(kName).valid(); }

  Cluster cluster_;
};

TEST_F(LabelTopologies, HaveOneLevel) {
  add("a");
  ASSERT_TRUE(there());
  const Topology& topology = cluster_.topologies()[cluster_.find_topology(kName)];
  ASSERT_EQ(topology.levels.size(), 1U);
  EXPECT_EQ(cluster_.vocabulary().strings.view(topology.levels[0].label), "example.com/rack");
}

TEST_F(LabelTopologies, GoWithTheLastGang) {
  add("a");
  add("b");
  add("a");
  cluster_.remove_gang("default", "a");
  EXPECT_TRUE(there());
  cluster_.remove_gang("default", "b");
  EXPECT_FALSE(there());
}

TEST_F(LabelTopologies, GoWhereAGangNamesThemNoLonger) {
  add("a");
  cluster_.upsert(gang("a"));
  EXPECT_FALSE(there());
}

TEST_F(LabelTopologies, OfSubgroupsCountToo) {
  Gang tree = gang("tree");
  Subgroup part;
  part.topology = rack();
  tree.subgroups = {part, part};
  cluster_.upsert(std::move(tree));
  EXPECT_TRUE(there());
  cluster_.remove_gang("default", "tree");
  EXPECT_FALSE(there());
}

}  // namespace
}  // namespace trellis::label_topologies_test
