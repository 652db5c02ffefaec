#include "framework/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/paged_vector.h"
#include "framework/string_table.h"

namespace trellis::check_test {
namespace {

using testing::HasSubstr;

template <class Use>
std::string broken(Use use) {
  try {
    use();
  } catch (const BrokenCheck& check) {
    return check.what();
  }
  return "";
}

TEST(Check, NamesWhatMustHoldAndWhere) {
  EXPECT_EQ(broken([] { require(true, "the sky is above"); }), "");
  std::string why = broken([] { require(false, "the sky is above"); });
  EXPECT_THAT(why, HasSubstr("broken check: the sky is above (tests/framework/check_test.cc:"));
}

TEST(Check, AnIdIsOneOfItsTable) {
  IndexedVector<QueueId, int> table(3);
  EXPECT_EQ(broken([&] { table[QueueId(2)] = 1; }), "");
  EXPECT_EQ(broken([&] { table[QueueId(3)] = 1; }),
            "broken check: a Queue id is one of its table (found 3, of 3)");
  EXPECT_EQ(broken([&] { table[QueueId()] = 1; }),
            "broken check: a Queue id is one of its table (found none, of 3)");
  PagedVector<GangId, int> pages;
  pages.grow(2);
  EXPECT_EQ(broken([&] { pages.own(GangId(2)) = 1; }),
            "broken check: a Gang id is one of its table (found 2, of 2)");
  StringTable strings;
  EXPECT_THAT(broken([&] { strings.view(StrId()); }),
              HasSubstr("an item of a growing array is in it"));
}

TEST(Check, AnIdThatMayBeNoneIsAskedFirst) {
  Maybe<QueueId> queue;
  EXPECT_FALSE(queue);
  EXPECT_THAT(broken([&] { EXPECT_EQ((*queue).value, 0U); }), HasSubstr("is asked before"));
  queue = QueueId(4);
  EXPECT_TRUE(queue);
  EXPECT_EQ(*queue, QueueId(4));
  EXPECT_EQ(Maybe<QueueId>(), Maybe<QueueId>(QueueId()));
}

}  // namespace
}  // namespace trellis::check_test
