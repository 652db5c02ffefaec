#include "server/manifest/kai_snapshot.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/server/manifest/reading.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::kai_snapshot_test {
namespace {

constexpr const char* kSnapshot =
    R"({"config":{"actions":"allocate","tiers":[{"plugins":[{"name":"x"}]}]},"schedulerParams":null,)"
    R"("rawObjects":{"pods":[{"metadata":{"name":"p","namespace":"ns","labels":{"a":"]}"},)"
    R"("annotations":{"pod-group-name":"g"}},"spec":{"schedulerName":"kai-scheduler",)"
    R"("containers":[{"name":"c"}]}}],)"
    R"("nodes":[{"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"1"}}}],"queues":[{"metadata":{"name":"q"},"spec":{}}],)"
    R"("podGroups":[{"metadata":{"name":"g","namespace":"ns"},"spec":{"minMember":1,"queue":"q"}}],)"
    R"("bindRequests":null,"csiDrivers":[{"metadata":{"name":"d"}}],)"
    R"("topologies":[{"metadata":{"name":"t"},"spec":{"levels":[{"nodeLabel":"rack"}]}}]},)"
    R"("discovery":[]})";

TEST(KaiSnapshot, ItsObjectsAreRead) {
  test::TemporaryFolder folder;
  std::string file = folder.file("snapshot.json");
  std::ofstream(file) << kSnapshot;
  test::Reading reading = test::read_paths({file});
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  EXPECT_NE(reading.node("n"), nullptr);
  EXPECT_NE(reading.queue("q"), nullptr);
  EXPECT_NE(reading.topology("t"), nullptr);
  EXPECT_EQ(reading.gang_of("p"), "ns/g");
}

TEST(KaiSnapshot, OtherTextsAreNone) {
  for (const char* text :
       {"", "{", "[]", "{}", "kind: Pod", R"({"config":{}})", R"({"kind":"List","items":[]})",
        R"({"rawObjects":[]})", R"({"rawObjects":{"pods":[})", R"({"rawObjects":{"pods" 1}})"}) {
    EXPECT_FALSE(lists_of_snapshot(text)) << text;
  }
}

TEST(KaiSnapshot, NoTextBreaksIt) {
  std::string whole = kSnapshot;
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(lists_of_snapshot(whole.substr(0, bytes).c_str())) << bytes;
  }
}

}  // namespace
}  // namespace trellis::kai_snapshot_test
