#include "framework/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "framework/check.h"
#include "framework/growing_array.h"
#include "framework/indexed_vector.h"
#include "framework/pod_spec_hash.h"
#include "tests/support/world.h"

namespace trellis::vocabulary_test {
namespace {

TEST(StringTable, EqualTextHasEqualIds) {
  StringTable strings;
  EXPECT_EQ(strings.intern(""), StringTable::kEmpty);
  StrId first = strings.intern("first");
  EXPECT_EQ(strings.intern(std::string("fir") + "st"), first);
  EXPECT_EQ(strings.find("first"), first);
  EXPECT_FALSE(strings.find("second").valid());
  EXPECT_EQ(strings.size(), 2u);
}

TEST(StringTable, ViewsStayWhereTheyAre) {
  StringTable strings;
  std::string_view early = strings.view(strings.intern("early"));
  const char* address = early.data();
  for (int i = 0; i < 10'000; ++i) strings.intern("text " + std::to_string(i));
  EXPECT_EQ(strings.view(strings.find("early")).data(), address);
  EXPECT_EQ(early, "early");
  EXPECT_EQ(strings.view(strings.find("text 9999")), "text 9999");
}

TEST(StringTable, ThreadsInternTheSameTexts) {
  constexpr int kThreads = 4;
  constexpr int kTexts = 20'000;
  StringTable strings;
  std::vector<std::vector<StrId>> ids(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&strings, &mine = ids[static_cast<size_t>(thread)], thread] {
        for (int i = 0; i < kTexts; ++i) {
          int number = thread % 2 == 0 ? i : kTexts - 1 - i;
          StrId id = strings.intern("text " + std::to_string(number));
          mine.push_back(id);
          if (strings.view(id) != "text " + std::to_string(number)) mine.clear();
        }
        if (thread % 2 == 1) std::reverse(mine.begin(), mine.end());
      });
    }
  }
  EXPECT_EQ(strings.size(), kTexts + 1u);
  for (const std::vector<StrId>& mine : ids) EXPECT_EQ(mine, ids[0]);
}

TEST(GrowingArray, ItemsStayWhereTheyAre) {
  GrowingArray<int> array;
  EXPECT_EQ(array.push_back(7), 0u);
  const int* first = &array[0];
  for (int i = 1; i < 10'000; ++i) EXPECT_EQ(array.push_back(7 * (i + 1)), static_cast<size_t>(i));
  EXPECT_EQ(&array[0], first);
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(array[static_cast<size_t>(i)], 7 * (i + 1));
  EXPECT_THROW(array[10'000], BrokenCheck);
}

TEST(Ids, NoneIsNoId) {
  EXPECT_FALSE(NodeId().valid());
  EXPECT_TRUE(NodeId(0).valid());
  EXPECT_LT(NodeId(1), NodeId(2));
  EXPECT_EQ(NodeId(size_t{7}).value, 7u);
}

TEST(IndexedVector, GivesOutItsIds) {
  IndexedVector<NodeId, std::string> names;
  EXPECT_EQ(names.next_id(), NodeId(0));
  EXPECT_EQ(names.push_back("a"), NodeId(0));
  EXPECT_EQ(names.push_back("b"), NodeId(1));
  EXPECT_TRUE(names.contains(NodeId(1)));
  EXPECT_FALSE(names.contains(NodeId(2)));
  EXPECT_FALSE(names.contains(NodeId()));
  EXPECT_EQ(names[NodeId(1)], "b");
}

// Specs that differ in one thing must not become one class; equal ones must.
TEST(PodSpec, EveryFieldCounts) {
  PodArgs plain;
  std::vector<PodArgs> variants(18, plain);
  variants[1].cpu = 2;
  variants[2].memory_gib = 2;
  variants[3].gpu = 1;
  variants[4].amd_gpu = 1;
  variants[5].extended = {{"example.com/nic", 1}};
  variants[6].share.milli = 500;
  variants[7].share.mib = 500;
  variants[8].share = {.milli = 500, .devices = 2};
  variants[9].selector = {{"a", "b"}};
  variants[10].affinity = {{.labels = {{"a", SelectorOp::Exists, {}}}}};
  variants[11].affinity = {{.labels = {{"a", SelectorOp::DoesNotExist, {}}}}};
  variants[12].affinity = {{.fields = {{"a", SelectorOp::Exists, {}}}}};
  variants[13].has_affinity = true;
  variants[14].tolerations = {{.key = "a"}};
  variants[15].tolerations = {{.key = "a", .any_effect = false}};
  variants[16].ports = {{.port = 1}};
  variants[17].ports = {{.port = 1, .protocol = "UDP"}};
  World world;
  world.gang("g", {.min_member = 1});
  std::unordered_set<uint32_t> classes;
  for (size_t i = 0; i < variants.size(); ++i) {
    std::string name = "p" + std::to_string(i);
    world.pod(name, "g", variants[i]);
    classes.insert(world.class_of(name).value);
    world.pod("q" + std::to_string(i), "g", variants[i]);
    EXPECT_EQ(world.class_of(name), world.class_of("q" + std::to_string(i)));
    EXPECT_EQ(hash_of(make_pod_spec(world.cluster.vocabulary(), variants[i])),
              hash_of(make_pod_spec(world.cluster.vocabulary(), variants[i])));
  }
  EXPECT_EQ(classes.size(), variants.size());
}

}  // namespace
}  // namespace trellis::vocabulary_test
