#include "server/plan/plan.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "server/engine/engine.h"
#include "server/engine/load.h"
#include "server/manifest/manifest.h"
#include "server/plan/plan_output.h"
#include "tests/support/random.h"

namespace trellis {
namespace {

std::string node_text(const std::string& name, int gpus, const std::string& annotations = "") {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + "\"" + annotations +
         R"(},"status":{"allocatable":{"cpu":"96","memory":"960Gi","pods":"110","nvidia.com/gpu":")" +
         std::to_string(gpus) + "\"}}}\n";
}

std::string pod_text(const std::string& name, int gpus) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"(","namespace":"team"},"spec":{"containers":[{"name":"m","image":"i","resources":{"requests":{"cpu":"2","nvidia.com/gpu":")" +
         std::to_string(gpus) + "\"}}}]}}\n";
}

void read(Engine& engine, const std::string& text) {
  load(engine, read_manifest_text("test", text, engine.vocabulary()));
}

NodeShape shape(Engine& engine, const std::string& name, int gpus, int64_t price) {
  NodeShape shape{.name = name, .price_micro = price * kPriceUnit};
  Manifest manifest = read_manifest_text("test", node_text(name, gpus), engine.vocabulary());
  shape.node = manifest.objects.nodes.front();
  shape.node.name.clear();
  return shape;
}

Config only_allocate() {
  Config config;
  config.actions = {"admit", "allocate"};
  return config;
}

// A thousand pods of several sizes: within 2 % of the bound of the linear program.
TEST(NodePlanTest, IsNearTheBoundForAThousandPods) {
  constexpr std::array<int, 5> kSizes = {1, 1, 2, 4, 8};
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    std::string text;
    for (int i = 0; i < 20; ++i) text += node_text("n" + std::to_string(i), 8);
    for (int i = 0; i < 1000; ++i) text += pod_text("p" + std::to_string(i), random.pick(kSizes));
    Engine engine(only_allocate());
    read(engine, text);
    PlanQuestion question;
    question.shapes.push_back(shape(engine, "big", 8, 8));
    question.shapes.push_back(shape(engine, "small", 4, 5));
    Result<NodePlan> plan = make_plan(engine, std::move(question));
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->refused.empty());
    EXPECT_GT(plan->nodes.size(), 200U);
    EXPECT_GT(plan->bound_micro, 0);
    EXPECT_LE(static_cast<double>(plan->price_micro),
              1.02 * static_cast<double>(plan->bound_micro));
  }
}

TEST(NodePlanTest, DoesNotDependOnEarlierQuestions) {
  std::string text = node_text("n0", 4);
  for (int i = 0; i < 7; ++i) text += pod_text("p" + std::to_string(i), 3);
  Engine engine(only_allocate());
  read(engine, text);
  PlanQuestion question;
  question.shapes.push_back(shape(engine, "big", 8, 8));
  Result<NodePlan> plan = make_plan(engine, question);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->nodes.size(), 3U);
  // The nodes are there now.
  Result<NodePlan> again = make_plan(engine, question);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->nodes.empty());
  EXPECT_TRUE(again->served.empty());
}

TEST(NodePlanTest, ThePageShowsNamesAsText) {
  Engine engine(only_allocate());
  read(engine, pod_text("p", 1));
  PlanQuestion question;
  question.shapes.push_back(shape(engine, "big", 8, 8));
  question.shapes.front().name = "<b>big";
  Result<NodePlan> plan = make_plan(engine, std::move(question));
  ASSERT_TRUE(plan);
  StringSink sink;
  write_plan_page(sink, engine, *plan);
  EXPECT_NE(sink.text().find("<td>&lt;b&gt;big</td><td>anywhere</td><td>1</td><td>8</td>"
                             "<td>team/p (1 pod)</td>"),
            std::string::npos);
  EXPECT_EQ(sink.text().find("<b>"), std::string::npos);
}

TEST(NodePlanTest, AnUnknownGangIsAnError) {
  Engine engine(only_allocate());
  read(engine, pod_text("p", 1));
  PlanQuestion question{.gangs = {"team/q"}};
  question.shapes.push_back(shape(engine, "big", 8, 8));
  Result<NodePlan> plan = make_plan(engine, std::move(question));
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("team/q"), std::string::npos);
}

}  // namespace
}  // namespace trellis
