#include "server/fabric/node_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trellis::node_list_test {
namespace {

using Names = std::vector<std::string>;

TEST(NodeList, ExpandsBracketsLastOnesFastest) {
  EXPECT_EQ(*expand_node_list("n1"), (Names{"n1"}));
  EXPECT_EQ(*expand_node_list("n[08-10,2],x"), (Names{"n08", "n09", "n10", "n2", "x"}));
  EXPECT_EQ(*expand_node_list("r[0-1]n[1-2]a"), (Names{"r0n1a", "r0n2a", "r1n1a", "r1n2a"}));
  EXPECT_EQ(*expand_node_list("[3-4]"), (Names{"3", "4"}));
}

TEST(NodeList, RefusesWhatIsNoList) {
  for (const char* list : {"", ",", "n1,", "n[1", "n1]", "n[]", "n[a]", "n[2-1]", "n[1-2-3]",
                           "n[-1]", "n[0-999999999]", "n[0-999]m[0-9999]"}) {
    EXPECT_FALSE(expand_node_list(list)) << list;
  }
}

}  // namespace
}  // namespace trellis::node_list_test
