#include "framework/topology.h"

#include <gtest/gtest.h>

#include <string>

#include "framework/topology_levels.h"

namespace trellis::topology_test {
namespace {

class Levels : public ::testing::Test {
 protected:
  StrId str(std::string_view text) { return strings.intern(text); }
  Topology topology(std::initializer_list<std::string_view> labels) {
    Topology made{"t", {}};
    for (std::string_view label : labels) made.levels.push_back({str(label), StrId()});
    return made;
  }
  ResolvedLevels resolve(const Topology& topology, std::string_view required,
                         std::string_view preferred) {
    TopologyConstraint constraint{str("t"), StrId(), StrId()};
    if (!required.empty()) constraint.required = str(required);
    if (!preferred.empty()) constraint.preferred = str(preferred);
    return resolve_levels(topology, constraint, strings);
  }
  StringTable strings;
};

TEST_F(Levels, ByLabelAliasOrLastPart) {
  Topology hall = topology({"example.com/block", "example.com/rack", "kubernetes.io/hostname"});
  hall.levels[1].alias = str("shelf");
  EXPECT_EQ(find_level(hall, "example.com/rack", strings), 1);
  EXPECT_EQ(find_level(hall, "shelf", strings), 1);
  EXPECT_EQ(find_level(hall, "rack", strings), 1);
  EXPECT_EQ(find_level(hall, "hostname", strings), 2);
  EXPECT_EQ(find_level(hall, "block", strings), 0);
  EXPECT_FALSE(find_level(hall, "com/rack", strings));
  EXPECT_FALSE(find_level(hall, "row", strings));
  EXPECT_FALSE(find_level(hall, "", strings));
}

TEST_F(Levels, ALastPartMustBeUnique) {
  Topology two = topology({"a.com/rack", "b.com/rack", "rack-of-its-own"});
  EXPECT_FALSE(find_level(two, "rack", strings));
  EXPECT_EQ(find_level(two, "b.com/rack", strings), 1);
  EXPECT_EQ(find_level(two, "rack-of-its-own", strings), 2);
  // A whole label goes before a last part.
  Topology whole = topology({"a.com/rack", "rack"});
  EXPECT_EQ(find_level(whole, "rack", strings), 1);
}

TEST_F(Levels, Resolve) {
  Topology hall = topology({"example.com/block", "example.com/rack"});
  EXPECT_EQ(resolve(hall, "block", "rack").required, 0);
  EXPECT_EQ(resolve(hall, "block", "rack").preferred, 1);
  EXPECT_EQ(resolve(hall, "block", "rack").error, ReasonCode::None);
  EXPECT_EQ(resolve(hall, "rack", "rack").error, ReasonCode::None);
  EXPECT_EQ(resolve(hall, "", "rack").required, -1);
  EXPECT_EQ(resolve(hall, "rack", "").preferred, -1);
  EXPECT_EQ(resolve(hall, "rack", "block").error, ReasonCode::LevelOrder);
  EXPECT_EQ(resolve(hall, "row", "rack").error, ReasonCode::LevelUnknown);
  EXPECT_EQ(strings.view(resolve(hall, "row", "shelf").subject), "row");
  EXPECT_EQ(strings.view(resolve(hall, "rack", "shelf").subject), "shelf");
}

}  // namespace
}  // namespace trellis::topology_test
