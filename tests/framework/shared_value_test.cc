#include "framework/shared_value.h"

#include <gtest/gtest.h>

#include <string>

namespace trellis::shared_value_test {
namespace {

struct Named {
  std::string name;
  int counted = 0;
  auto operator<=>(const Named&) const = default;
};

TEST(SharedValue, IsOfTheSizeOfAPointer) {
  static_assert(sizeof(SharedValue<Named>) == sizeof(void*));
}

TEST(SharedValue, IsComparedByValue) {
  SharedValue<Named> one(Named{"one"});
  SharedValue<Named> equal(Named{"one"});
  SharedValue<Named> other(Named{"other"});
  SharedValue<Named> empty;
  EXPECT_EQ(one, equal);
  EXPECT_NE(one, other);
  EXPECT_NE(one, empty);
  EXPECT_NE(empty, one);
  EXPECT_EQ(empty, SharedValue<Named>());
  EXPECT_LT(one, other);
  EXPECT_LT(empty, one);
  EXPECT_EQ(empty, nullptr);
  EXPECT_NE(one, nullptr);
}

TEST(SharedValue, CopiesShareOneValue) {
  SharedValue<Named> one(Named{"one"});
  EXPECT_FALSE(one.is_shared());
  SharedValue<Named> copy = one;
  EXPECT_TRUE(one.is_shared());
  EXPECT_EQ(one.get(), copy.get());
  copy.reset();
  EXPECT_FALSE(one.is_shared());
  EXPECT_FALSE(copy);
  SharedValue<Named> moved = std::move(one);
  EXPECT_EQ(moved->name, "one");
  EXPECT_FALSE(one);  // NOLINT: a moved-from value is empty
}

TEST(SharedValue, AnEditIsNotSeenThroughAnother) {
  SharedValue<Named> one(Named{"one"});
  SharedValue<Named> copy = one;
  copy.edit().counted = 1;
  EXPECT_EQ(one->counted, 0);
  EXPECT_EQ(copy->counted, 1);
  const Named* same = copy.get();
  copy.edit().counted = 2;
  EXPECT_EQ(copy.get(), same) << "no other shares it";
  SharedValue<Named> empty;
  empty.edit().counted = 3;
  EXPECT_EQ(empty->counted, 3);
}

}  // namespace
}  // namespace trellis::shared_value_test
