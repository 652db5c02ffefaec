#include "framework/selectors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trellis::selectors_test {
namespace {

class Selectors : public ::testing::Test {
 protected:
  StrId str(std::string_view text) { return strings.intern(text); }
  bool holds(SelectorOp op, const std::vector<std::string>& values, StrId value) {
    Requirement requirement{str("key"), op, {}};
    for (const std::string& text : values) requirement.values.push_back(str(text));
    return matches(requirement, value, strings);
  }
  StringTable strings;
};

TEST_F(Selectors, Sets) {
  StrId none;
  EXPECT_TRUE(holds(SelectorOp::In, {"a", "b"}, str("b")));
  EXPECT_FALSE(holds(SelectorOp::In, {"a", "b"}, str("c")));
  EXPECT_FALSE(holds(SelectorOp::In, {"a", "b"}, none));
  EXPECT_FALSE(holds(SelectorOp::In, {}, str("a")));
  EXPECT_FALSE(holds(SelectorOp::NotIn, {"a", "b"}, str("b")));
  EXPECT_TRUE(holds(SelectorOp::NotIn, {"a", "b"}, str("c")));
  EXPECT_TRUE(holds(SelectorOp::NotIn, {"a", "b"}, none));
  EXPECT_TRUE(holds(SelectorOp::Exists, {}, str("")));
  EXPECT_FALSE(holds(SelectorOp::Exists, {}, none));
  EXPECT_TRUE(holds(SelectorOp::DoesNotExist, {}, none));
  EXPECT_FALSE(holds(SelectorOp::DoesNotExist, {}, str("")));
}

TEST_F(Selectors, Numbers) {
  StrId none;
  EXPECT_TRUE(holds(SelectorOp::Gt, {"5"}, str("6")));
  EXPECT_FALSE(holds(SelectorOp::Gt, {"5"}, str("5")));
  EXPECT_TRUE(holds(SelectorOp::Gt, {"9"}, str("10")));  // not as text
  EXPECT_TRUE(holds(SelectorOp::Gt, {"-2"}, str("-1")));
  EXPECT_TRUE(holds(SelectorOp::Lt, {"5"}, str("4")));
  EXPECT_FALSE(holds(SelectorOp::Lt, {"5"}, str("5")));
  for (SelectorOp op : {SelectorOp::Gt, SelectorOp::Lt}) {
    EXPECT_FALSE(holds(op, {"5"}, none));
    EXPECT_FALSE(holds(op, {"5"}, str("")));
    EXPECT_FALSE(holds(op, {"5"}, str("4.5")));
    EXPECT_FALSE(holds(op, {"5"}, str("7 ")));
    EXPECT_FALSE(holds(op, {"five"}, str("6")));
    EXPECT_FALSE(holds(op, {}, str("6")));
    EXPECT_FALSE(holds(op, {"5", "6"}, str("7")));
    EXPECT_FALSE(holds(op, {"5"}, str("99999999999999999999")));  // beyond 64 bits
  }
}

TEST_F(Selectors, FindLabel) {
  Labels labels = {{str("a"), str("1")}, {str("b"), str("2")}, {str("c"), str("3")}};
  EXPECT_EQ(find_label(labels, str("a")), str("1"));
  EXPECT_EQ(find_label(labels, str("c")), str("3"));
  EXPECT_FALSE(find_label(labels, str("z")).valid());
  EXPECT_FALSE(find_label({}, str("a")).valid());
}

TEST_F(Selectors, Tolerations) {
  using Op = Toleration::Op;
  Taint taint{str("key"), str("value"), TaintEffect::NoSchedule};
  auto covers = [&](std::string_view key, Op op, std::string_view value) {
    return tolerates({str(key), op, str(value), true, {}}, taint);
  };
  EXPECT_TRUE(covers("key", Op::Equal, "value"));
  EXPECT_FALSE(covers("key", Op::Equal, "other"));
  EXPECT_FALSE(covers("key", Op::Equal, ""));
  EXPECT_TRUE(covers("key", Op::Exists, ""));
  EXPECT_FALSE(covers("other", Op::Exists, ""));
  EXPECT_TRUE(covers("", Op::Exists, ""));
  EXPECT_FALSE(covers("", Op::Equal, "value"));
  Toleration narrow{str("key"), Op::Exists, StringTable::kEmpty, false, TaintEffect::NoExecute};
  EXPECT_FALSE(tolerates(narrow, taint));
  narrow.effect = TaintEffect::NoSchedule;
  EXPECT_TRUE(tolerates(narrow, taint));
}

TEST_F(Selectors, OneTolerationForEachTaint) {
  std::vector<Taint> taints = {{str("soft"), str(""), TaintEffect::PreferNoSchedule},
                               {str("a"), str(""), TaintEffect::NoSchedule},
                               {str("b"), str(""), TaintEffect::NoExecute}};
  std::vector<Toleration> tolerations;
  EXPECT_EQ(untolerated(taints, tolerations), &taints[1]);
  tolerations.push_back({str("a"), Toleration::Op::Exists, StringTable::kEmpty, true, {}});
  EXPECT_EQ(untolerated(taints, tolerations), &taints[2]);
  tolerations.push_back({str("b"), Toleration::Op::Exists, StringTable::kEmpty, true, {}});
  EXPECT_EQ(untolerated(taints, tolerations), nullptr);
  EXPECT_EQ(untolerated({}, {}), nullptr);
}

}  // namespace
}  // namespace trellis::selectors_test
