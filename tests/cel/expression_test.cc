#include "cel/expression.h"

#include <gtest/gtest.h>

#include <string>

namespace trellis::cel::expression_test {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string made;
  for (int i = 0; i < times; ++i) made += text;
  return made;
}

Expression compile(const std::string& text) { return Expression::compile(text, Purpose::Selector); }

bool holds(const std::string& text) {
  Expression expression = compile(text);
  EXPECT_TRUE(expression.valid()) << text << ": " << expression.error();
  if (!expression.valid()) return false;
  Match match = expression.matches(Device{.driver = "gpu.example.com"});
  EXPECT_EQ(match.error, "") << text;
  return match.matches;
}

TEST(CelExpression, SaysWhereItDoesNotCompile) {
  EXPECT_EQ(compile("true &&\n  nope").error(),
            "2:3: undeclared reference to 'nope' (in container '')");
  EXPECT_EQ(compile("1").error(), "must evaluate to bool or the unknown type, not int");
  EXPECT_EQ(compile("(true").error(), "1:6: Syntax error: mismatched input '<EOF>'");
}

TEST(CelExpression, RefusesWhatNestsTooDeep) {
  EXPECT_TRUE(holds(repeated("(", 200) + "true" + repeated(")", 200)));
  EXPECT_EQ(compile(repeated("(", 20000) + "true" + repeated(")", 20000)).error(),
            "1:251: expression nests too deep (at most 250 levels)");
  EXPECT_EQ(compile(repeated("[", 20000)).error(),
            "1:251: expression nests too deep (at most 250 levels)");
  EXPECT_EQ(compile(repeated("1 + ", 2000) + "1 == 2001").error(),
            "1:995: expression is too long a chain (at most 248 links)");
  std::string chain = repeated(" + 1", 240) + ")";
  EXPECT_EQ(compile(repeated("(", 5) + "1" + repeated(chain, 5) + " == 1201").error(),
            "1:1: expression is too long a chain (at most 1000 operations)");
  EXPECT_TRUE(holds(repeated("true && ", 2000) + "true"));
  EXPECT_TRUE(holds(repeated("!", 2000) + "true"));
}

TEST(CelExpression, StopsAtTheCostLimit) {
  Expression endless = compile("lists.range(2000).all(x, lists.range(2000).all(y, x + y >= 0))");
  ASSERT_TRUE(endless.valid());
  EXPECT_EQ(endless.matches(Device{}).error, "operation cancelled: actual cost limit exceeded");
  // An error of this kind is not absorbed.
  Expression absorbed = compile("lists.range(900000).all(x, x >= 0) || true");
  ASSERT_TRUE(absorbed.valid());
  EXPECT_EQ(absorbed.matches(Device{}).error, "operation cancelled: actual cost limit exceeded");
}

TEST(CelExpression, QuantitiesAreExact) {
  EXPECT_TRUE(
      holds("quantity('12345678901234567890').isGreaterThan(quantity('12345678901234567889'))"));
  EXPECT_TRUE(holds("quantity('1.5Gi').asInteger() == 1610612736"));
  EXPECT_TRUE(holds("quantity('-1500m').sub(quantity('-1.5')) == quantity('0')"));
  EXPECT_FALSE(holds("isQuantity('1e400')"));
  EXPECT_EQ(Quantity::parse("1500m")->text(), "1500m");
  EXPECT_EQ(Quantity::parse("2Ki")->text(), "2048");
}

TEST(CelExpression, FormatsAreCheckedBeforeTheyRun) {
  EXPECT_FALSE(compile("'%d'.format(['a']) == ''").valid());
  EXPECT_FALSE(compile("'%s'.format([]) == ''").valid());
  EXPECT_TRUE(
      holds("'%.2f %X %o %b %e'.format([1.5, 255, 8, true, 10.0]) == "
            "'1.50 FF 10 1 1.000000e+01'"));
  EXPECT_TRUE(holds("'%s'.format([{'b': [1, 2], 'a': null}]) == '{a: null, b: [1, 2]}'"));
}

}  // namespace
}  // namespace trellis::cel::expression_test
