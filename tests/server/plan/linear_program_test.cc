#include "server/plan/linear_program.h"

#include <gtest/gtest.h>

#include <vector>

namespace trellis {
namespace {

TEST(LinearProgram, OneVariableFillsItsTightestLimit) {
  LinearProgram program;
  program.add(3, {2, 1});
  EXPECT_DOUBLE_EQ(program.maximum(std::vector<double>{8, 5}), 12);
}

TEST(LinearProgram, TwoVariablesMeetAtACorner) {
  LinearProgram program;
  program.add(3, {1, 1});
  program.add(2, {1, 3});
  EXPECT_DOUBLE_EQ(program.maximum(std::vector<double>{4, 6}), 12);
  program = LinearProgram();
  program.add(3, {1, 2});
  program.add(2, {1, 1});
  EXPECT_DOUBLE_EQ(program.maximum(std::vector<double>{4, 6}), 10);
}

TEST(LinearProgram, WithoutVariablesTheValueIsNothing) {
  EXPECT_DOUBLE_EQ(LinearProgram().maximum(std::vector<double>{1}), 0);
}

TEST(LinearProgram, AFreeRowAllowsNothing) {
  LinearProgram program;
  program.add(1, {1});
  EXPECT_DOUBLE_EQ(program.maximum(std::vector<double>{0}), 0);
}

}  // namespace
}  // namespace trellis
