#include "session/cluster/named_table.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "framework/gang.h"
#include "framework/pod.h"
#include "framework/queue.h"
#include "tests/support/random.h"

namespace trellis::named_table_test {
namespace {

PodSlot pod_of(StrId name_space, const std::string& name) {
  PodSlot slot;
  slot.pod.name_space = name_space;
  slot.pod.name = name;
  return slot;
}

TEST(NamedTable, AKeyMayBePartOfTheRecord) {
  NamedTable<QueueId, Queue> queues;
  Queue queue{.name = "short"};
  QueueId id = queues.upsert(queue.name, std::move(queue));
  EXPECT_EQ(queues.find("short"), id);
  EXPECT_EQ(queues[id].name, "short");
}

TEST(NamedTable, AStringIndexHasASlotBeforeTheRecord) {
  NamedTable<GangId, Gang, StringIndex> gangs;
  GangId id = gangs.slot(StrId(7));
  EXPECT_FALSE(gangs.alive(id));
  EXPECT_EQ(gangs.slot(StrId(7)), id);
  EXPECT_FALSE(gangs.find(StrId(8)).valid());
  EXPECT_FALSE(gangs.find(StrId()).valid());
  EXPECT_EQ(gangs.remove(StrId(7)), id);
  EXPECT_FALSE(gangs.find(StrId(7)).valid());
}

TEST(NamedTable, ARecordIndexDistinguishesNamespaces) {
  NamedTable<PodId, PodSlot, RecordIndex> pods;
  PodId a = pods.upsert({StrId(1), "pod"}, pod_of(StrId(1), "pod"));
  PodId b = pods.upsert({StrId(2), "pod"}, pod_of(StrId(2), "pod"));
  EXPECT_NE(a, b);
  EXPECT_EQ(pods.find({StrId(1), "pod"}), a);
  EXPECT_EQ(pods.find({StrId(2), "pod"}), b);
  EXPECT_FALSE(pods.find({StrId(), "pod"}).valid());
}

// Against a map of texts: slots are taken again, and the table grows meanwhile.
TEST(NamedTable, ARecordIndexFindsWhatAMapFinds) {
  NamedTable<PodId, PodSlot, RecordIndex> pods;
  std::unordered_map<std::string, PodId> model;
  Random random(11);
  for (int step = 0; step < 20'000; ++step) {
    StrId space(random.below(3));
    std::string name = "pod-" + std::to_string(random.below(2000));
    std::string key = std::to_string(space.value) + "/" + name;
    if (random.below(3) > 0) {
      model[key] = pods.upsert({space, name}, pod_of(space, name));
    } else {
      bool known = model.erase(key) > 0;
      ASSERT_EQ(pods.remove({space, name}).valid(), known);
    }
    auto found = model.find(key);
    ASSERT_EQ(pods.find({space, name}), found == model.end() ? PodId() : found->second);
  }
  EXPECT_EQ(pods.live().size(), model.size());
}

}  // namespace
}  // namespace trellis::named_table_test
