#include "server/view/name_search.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trellis {
namespace {

TEST(NameSearch, TheClosestWayToNameAnObjectCounts) {
  const std::vector<std::string> names = {"default/set-a-8077b", "default/set-b-5f660",
                                          "team/set-ab-1f2b3", "team/rack1-n17"};
  auto found = [&](std::string_view word) { return find_name("workload", word, names).name; };
  EXPECT_EQ(found("default/set-a-8077b"), "default/set-a-8077b");
  EXPECT_EQ(found("set-a-8077b"), "default/set-a-8077b");
  EXPECT_EQ(found("set-ab"), "team/set-ab-1f2b3") << "the beginning of the last part";
  EXPECT_EQ(found("b"), "default/set-b-5f660") << "a word comes before an end";
  EXPECT_EQ(found("a"), "default/set-a-8077b");
  EXPECT_EQ(found("n17"), "team/rack1-n17");
  EXPECT_EQ(found("17"), "team/rack1-n17") << "an end";
  EXPECT_EQ(find_name("workload", "set", names).error,
            "several workloads match set: default/set-a-8077b, default/set-b-5f660, "
            "team/set-ab-1f2b3");
}

}  // namespace
}  // namespace trellis
