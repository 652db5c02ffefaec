#include "server/simulate/read_trace.h"

#include <gtest/gtest.h>

#include "framework/resources.h"
#include "server/simulate/csv_table.h"

namespace trellis::read_trace_test {
namespace {

TEST(CsvTable, FieldsInQuotesAndShortRows) {
  CsvTable table("\xef\xbb\xbfName,Topology Level\r\n\"a,\"\"b\"\"\",rack\r\n\nc\n");
  EXPECT_EQ(table.names(), (std::vector<std::string>{"name", "topologylevel"}));
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.field(0), "a,\"b\"");
  EXPECT_EQ(table.field(1), "rack");
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.line(), 4U);
  EXPECT_EQ(table.field(0), "c");
  EXPECT_EQ(table.field(1), "");
  EXPECT_FALSE(table.next());
}

TEST(ReadTrace, Columns) {
  auto gangs = read_trace("t.csv",
                          "name,arrival,duration,gpus,cpu,memory,pods,queue,priority,level\n"
                          "b,10,60.5,8,4,16Gi,2,research,100,rack\n"
                          "a,10,,0.5,,,,,,\n",
                          TraceFormat::Columns);
  ASSERT_TRUE(gangs) << gangs.error().message;
  ASSERT_EQ(gangs->size(), 2U);
  EXPECT_EQ((*gangs)[0].name, "a");
  EXPECT_LT((*gangs)[0].duration, 0);
  EXPECT_EQ((*gangs)[0].gpu_milli, 500);
  const TracedGang& gang = (*gangs)[1];
  EXPECT_EQ(gang.arrival, 10 * kSecondUs);
  EXPECT_EQ(gang.duration, 60'500'000);
  EXPECT_EQ(gang.gpu_milli, 8 * kMilli);
  EXPECT_EQ(gang.cpu_milli, 4 * kMilli);
  EXPECT_EQ(gang.memory, int64_t{16} << 30);
  EXPECT_EQ(gang.pods, 2);
  EXPECT_EQ(gang.queue, "research");
  EXPECT_EQ(gang.priority, 100);
  EXPECT_EQ(gang.level, "rack");
}

TEST(ReadTrace, PhillyCountsFromTheFirst) {
  auto gangs = read_trace("p.csv",
                          "timestamp,duration,num_gpus,gpu_time,cluster\n"
                          "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
                          "2017-10-09 07:00:55,5,2,10,6214e9\n",
                          TraceFormat::Philly);
  ASSERT_TRUE(gangs) << gangs.error().message;
  EXPECT_EQ((*gangs)[0].name, "gang-0000002");
  EXPECT_EQ((*gangs)[0].arrival, 0);
  EXPECT_EQ((*gangs)[1].arrival, 60 * kSecondUs);
  EXPECT_EQ((*gangs)[1].queue, "11cb48");
}

TEST(ReadTrace, OpenbPartsOfGpusAndModels) {
  auto gangs = read_trace("o.csv",
                          "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
                          "creation_time,deletion_time,scheduled_time\n"
                          "p,6000,12288,1,460,V100M16|V100M32,LS,Running,100,250,130\n",
                          TraceFormat::Openb);
  ASSERT_TRUE(gangs) << gangs.error().message;
  EXPECT_EQ(gangs->front().gpu_milli, 460);
  EXPECT_EQ(gangs->front().models, (std::vector<std::string>{"V100M16", "V100M32"}));
  EXPECT_EQ(gangs->front().duration, 120 * kSecondUs);
}

TEST(ReadTrace, SwfLeavesOutWhatNeverRan) {
  auto gangs = read_trace("s.swf",
                          "; Version: 2.2\n"
                          "1 0 5 100 4 -1 -1 8 200 1024 1 3 1 1 2 1 -1 -1\n"
                          "2 7 -1 -1 -1 -1 -1 8 200 -1 5 3 1 1 2 1 -1 -1\n",
                          TraceFormat::Swf);
  ASSERT_TRUE(gangs) << gangs.error().message;
  ASSERT_EQ(gangs->size(), 1U);
  EXPECT_EQ(gangs->front().cpu_milli, 8 * kMilli);
  EXPECT_EQ(gangs->front().memory, int64_t{8} * 1024 * 1024);
  EXPECT_EQ(gangs->front().queue, "2");
}

TEST(ReadTrace, SaysWhatIsWrong) {
  auto message = [](const char* text) {
    auto gangs = read_trace("t.csv", text, TraceFormat::Columns);
    return gangs ? std::string() : gangs.error().message;
  };
  EXPECT_EQ(message("name,arrival\na,soon\n"),
            "t.csv:2: arrival: found \"soon\", expected seconds, 0 or more");
  EXPECT_EQ(message("name\na\na\n"), "t.csv: two gangs are named \"a\"");
  EXPECT_EQ(message("name\n"), "t.csv: the trace has no gangs");
  EXPECT_EQ(message("x,y\n1,2\n").substr(0, 37), "t.csv:1: no column is known: expected");
}

}  // namespace
}  // namespace trellis::read_trace_test
