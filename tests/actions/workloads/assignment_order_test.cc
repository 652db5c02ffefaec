#include <gtest/gtest.h>

#include <string>

#include "actions/workloads/workload_slots.h"

namespace trellis::assignment_order_test {
namespace {

TEST(AssignmentOrder, ByPathLevelByLevel) {
  StringTable strings;
  TopologyAssignment assignment;
  assignment.levels = {strings.intern("block"), strings.intern("rack")};
  auto add = [&](const char* block, const char* rack, int32_t count) {
    assignment.values.push_back(strings.intern(block));
    assignment.values.push_back(strings.intern(rack));
    assignment.counts.push_back(count);
  };
  add("b1", "r2", 1);
  add("b1-", "r1", 2);
  TopologyAssignment in_order = assignment;
  sort_domains(assignment, strings);
  EXPECT_EQ(assignment, in_order);

  add("b1", "r10", 3);
  add("b0", "r9", 4);
  sort_domains(assignment, strings);
  std::string text;
  for (size_t domain = 0; domain < assignment.size(); ++domain) {
    text += std::string(strings.view(assignment.values[2 * domain])) + "/" +
            std::string(strings.view(assignment.values[2 * domain + 1])) + "*" +
            std::to_string(assignment.counts[domain]) + " ";
  }
  EXPECT_EQ(text, "b0/r9*4 b1/r10*3 b1/r2*1 b1-/r1*2 ");
  EXPECT_EQ(assignment.levels, in_order.levels);
}

}  // namespace
}  // namespace trellis::assignment_order_test
