// What is read by parts says what a reading of everything would say.
#include "server/sources/incremental_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "server/objects/workload_name.h"
#include "server/sources/object_diff.h"
#include "session/cluster/objects.h"
#include "tests/server/sources/random_texts.h"
#include "tests/support/long_run.h"
#include "tests/worlds/world_texts.h"

namespace trellis::incremental_reading_test {
namespace {

using Extent = IncrementalReading::Extent;

template <class Object>
std::vector<std::string> names_of(const std::vector<Object>& objects) {
  std::vector<std::string> names;
  for (const Object& object : objects) {
    if constexpr (requires { object.pod; }) {
      names.push_back(object.pod.name);
    } else if constexpr (requires { object.name.value; }) {
      names.push_back(std::to_string(object.name.value));
    } else {
      names.push_back(object.name);
    }
  }
  return names;
}

std::vector<std::string> full_names(const std::vector<RemovedObjects::Named>& removed) {
  std::vector<std::string> names;
  for (const RemovedObjects::Named& named : removed) {
    names.push_back(named.name_space + "/" + named.name);
  }
  return names;
}
std::vector<std::string> full_names(const std::vector<std::string>& removed) { return removed; }

template <class Object>
void expect_equal(const std::vector<Object>& made, const std::vector<Object>& expected) {
  std::vector<std::string> names = names_of(made);
  ASSERT_EQ(names, names_of(expected)) << typeid(Object).name();
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_TRUE(made[i] == expected[i]) << typeid(Object).name() << ": " << names[i];
  }
}

void expect_equal(const ObjectDiff& made, const ObjectDiff& expected) {
  const ObjectChanges& a = made.changes;
  const ObjectChanges& b = expected.changes;
  for_each_kind([&](auto list, auto removed) {
    expect_equal(a.upserts.*list, b.upserts.*list);
    EXPECT_EQ(full_names(a.removed.*removed), full_names(b.removed.*removed));
  });
  expect_equal(a.upserts.name_spaces, b.upserts.name_spaces);
  EXPECT_EQ(made.staying, expected.staying);
  EXPECT_EQ(made.staying_gangs, expected.staying_gangs);
  auto indexes = [](const ObjectDiff& diff) {
    std::vector<size_t> staying;
    for (const StayingWorkload& workload : diff.staying_workloads)
      staying.push_back(workload.index);
    return staying;
  };
  EXPECT_EQ(indexes(made), indexes(expected));
}

ReadingSettings settings_of(uint64_t seed) {
  ReadingSettings settings;
  if (seed % 5 == 1) settings.zones = Zones::Ignored;
  if (seed % 3 == 1) settings.scheduler_names = {"ours"};
  return settings;
}

struct Compared {
  int64_t parts = 0;
  int64_t changed = 0;  // parts that changed something
};

// Texts that change, read by parts beside a reading of everything.
template <class Texts>
Compared run(Texts& texts, uint64_t seed, int steps) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Compared compared;
  Vocabulary vocabulary;
  std::optional<Shard> shard;
  if (seed % 4 == 3) shard = Shard{"pool", "blue"};
  IncrementalReading reading(shard);
  Objects last;
  ReadOptions live;
  live.make_pods = false;
  for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    ReadingSettings settings = settings_of(step < steps / 2 ? seed : seed + 1);
    live.settings = settings;
    reading.configure(std::move(settings));
    reading.note(texts.step(step == 0 ? 60 : 1 + static_cast<int>(seed % 3)), vocabulary);
    Extent extent = reading.has_everything() ? Extent::Everything : Extent::Parts;
    SourceUpdate update = reading.read(extent, vocabulary);
    Manifest whole = shard ? read_shard_texts(texts.all(), vocabulary, live, *shard)
                           : read_manifest_texts(texts.all(), vocabulary, live);
    expect_equal(update.diff, diff_objects(last, whole.objects, vocabulary.strings));
    last = std::move(whole.objects);
    if (reading.extent() == Extent::Everything) continue;
    ++compared.parts;
    if (!update.diff.empty()) ++compared.changed;
  }
  return compared;
}

TEST(IncrementalReading, PartsSayWhatEverythingWouldSay) {
  uint64_t seeds = long_run(150, 5'000);
  Compared all;
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    test::RandomTexts texts(seed);
    Compared one = run(texts, seed, 20);
    all.parts += one.parts;
    all.changed += one.changed;
  }
  EXPECT_GT(all.changed, static_cast<int64_t>(seeds) * 4);
}

// Objects of every kind that is read, right and wrong ones.
TEST(IncrementalReading, PartsOfChangedWorldsSayWhatEverythingWouldSay) {
  const std::vector<worlds::World> shipped = worlds::shipped_worlds();
  uint64_t seeds = long_run(100, 20'000);
  int64_t changed = 0;
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    worlds::WorldTexts texts(shipped, seed);
    changed += run(texts, seed, 20).changed;
  }
  EXPECT_GT(changed, static_cast<int64_t>(seeds));
}

// Texts that come one after the other; a later one with the same name takes the place of the other.
struct Arrivals {
  std::vector<NamedText> coming;
  size_t arrived = 0;

  std::vector<NamedText> step(int /*changes*/) { return {coming[arrived++]}; }
  std::vector<NamedText> all() const {
    std::map<std::string, NamedText> last;
    for (size_t i = 0; i < arrived; ++i) last.insert_or_assign(coming[i].name, coming[i]);
    std::vector<NamedText> texts;
    for (const auto& [name, text] : last) texts.push_back(text);
    return texts;
  }
};

// A pod is called like a group of a LeaderWorkerSet, whose gang so gets another name.
TEST(IncrementalReading, AGroupOfAnOwnerMeetsItsName) {
  auto text = [](const std::string& name, const std::string& owner) {
    return NamedText{
        "pods/default/" + name,
        StoredText(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(",)" +
                   R"("labels":{"leaderworkerset.sigs.k8s.io/group-index":"2"})" + owner +
                   R"(},"spec":{"containers":[{"name":"c"}]}})")};
  };
  const std::string owner = R"(,"ownerReferences":[{"apiVersion":"leaderworkerset.x-k8s.io/v1",)"
                            R"("kind":"LeaderWorkerSet","name":"serve","controller":true}])";
  Arrivals texts{{text("serve-2", ""), text("worker", owner)}};
  EXPECT_EQ(run(texts, 2, 2).changed, 1);
}

// No workload is made where a Workload has its name, whatever owners this Workload has.
TEST(IncrementalReading, AWorkloadThatIsNamedLikeAMadeOneIsFound) {
  auto text = [](const std::string& name, const std::string& version, const std::string& kind,
                 const std::string& metadata, const std::string& spec) {
    return NamedText{name,
                     StoredText(R"({"apiVersion":")" + version + R"(","kind":")" + kind +
                                R"(","metadata":{)" + metadata + R"(},"spec":{)" + spec + "}}")};
  };
  const std::string queued = R"(,"uid":"u","labels":{"kueue.x-k8s.io/queue-name":"lq"})";
  const std::string pods = R"("template":{"spec":{"containers":[{"name":"c"}]}})";
  auto workload = [&](const std::string& name) {
    return text("workloads.kueue.x-k8s.io/default/" + name, "kueue.x-k8s.io/v1beta2", "Workload",
                R"("name":")" + name + "\"",
                R"("queueName":"other","podSets":[{"name":"main","count":1,)" + pods + "}]");
  };
  Arrivals texts{{text("localqueues/default/lq", "kueue.x-k8s.io/v1beta2", "LocalQueue",
                       R"("name":"lq")", R"("clusterQueue":"cq")"),
                  workload(workload_name({"batch", "Job", "j", "u"})),
                  text("owners/default/j", "batch/v1", "Job", R"("name":"j")" + queued,
                       R"("suspend":true,)" + pods),
                  workload(workload_name({"", "Pod", "p", "u"})),
                  text("pods/default/p", "v1", "Pod", R"("name":"p")" + queued,
                       R"("containers":[{"name":"c"}])")}};
  EXPECT_GT(run(texts, 2, 5).parts, 2);
}

// A text with several objects is decoded in each reading, and finds others all the same.
TEST(IncrementalReading, ObjectsThatShareATextMeetOthers) {
  auto pod = [](const std::string& name, const std::string& group) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"(","annotations":{"pod-group-name":")" + group +
           R"("}},"spec":{"containers":[{"name":"c"}]}})";
  };
  auto text = [](const std::string& name, const std::string& json) {
    return NamedText{name, StoredText(json)};
  };
  auto list = [&](const std::string& items) {
    return text("pods/default/list",
                R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}");
  };
  const std::string group = R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup",)"
                            R"("metadata":{"name":"g"},"spec":{"minMember":3}})";
  Arrivals texts{{list(pod("a", "g") + "," + pod("b", "h")), text("pods/default/c", pod("c", "g")),
                  text("groups/g", group), text("pods/default/d", pod("d", "h")),
                  text("pods/default/two", pod("e", "g") + pod("f", "x")),
                  text("pods/default/i", pod("i", "x")),
                  text("pods/default/k.yaml", pod("k", "x"))}};
  EXPECT_EQ(run(texts, 2, 7).changed, 6);
}

// A pod that names MIG slices by annotation holds those of its node, and is read with it.
TEST(IncrementalReading, APodThatHoldsTheSlicesOfItsNodeMeetsTheNode) {
  auto node = [](const std::string& slices) {
    return NamedText{"nodes/n", StoredText(R"({"apiVersion":"v1","kind":"Node","metadata":{)"
                                           R"("name":"n"},"status":{"allocatable":{"cpu":"8",)"
                                           R"("nvidia.com/mig-1g.10gb":")" +
                                           slices + R"("}}})")};
  };
  NamedText pod{"pods/default/p",
                StoredText(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",)"
                           R"("annotations":{"nvidia.com/mig-1g.10gb":"1"}},)"
                           R"("spec":{"nodeName":"n","containers":[{"name":"c"}]},)"
                           R"("status":{"phase":"Running"}})")};
  Arrivals texts{{pod, node("2"), node("4")}};
  EXPECT_EQ(run(texts, 2, 3).changed, 2);
}

// A node, a queue and a pod of it that waits.
struct Small {
  Vocabulary vocabulary;
  IncrementalReading reading;

  Small() {
    note("nodes/n1", node("4", "1"));
    note("queues/q", queue("1"));
    note("pods/default/p", pod("1"));
    reading.read(Extent::Everything, vocabulary);
  }

  static std::string node(const std::string& cpu, const std::string& heartbeat) {
    return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","resourceVersion":")" +
           heartbeat + R"("},"status":{"allocatable":{"cpu":")" + cpu +
           R"(","pods":"10"},"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":)"
           R"("2026-01-01T00:00:0)" +
           heartbeat + "Z\"}]}}";
  }
  static std::string queue(const std::string& priority) {
    return R"({"apiVersion":"scheduling.run.ai/v2","kind":"Queue","metadata":{"name":"q"},)"
           R"("spec":{"priority":)" +
           priority + R"(},"status":{"allocated":{"cpu":)" + priority + "}}}";
  }
  static std::string pod(const std::string& cpu) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"p"},)"
           R"("spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":")" +
           cpu + "\"}}}]}}";
  }

  void note(const std::string& name, const std::string& text) {
    reading.note({{name, StoredText(text)}}, vocabulary);
  }
};

TEST(IncrementalReading, WhatIsNotReadChangesNothing) {
  Small small;
  small.note("nodes/n1", Small::node("4", "2"));
  EXPECT_FALSE(small.reading.has_parts() || small.reading.has_everything());
  small.note("nodes/n1", Small::node("8", "3"));
  EXPECT_TRUE(small.reading.has_parts());
  SourceUpdate update = small.reading.read(Extent::Parts, small.vocabulary);
  EXPECT_THAT(update.diff.changes.upserts.nodes, testing::SizeIs(1));
  // The texts that it is read from are handed over in their last words.
  ASSERT_FALSE(update.texts.texts.empty());
  EXPECT_EQ(update.texts.texts.back().text.str(), Small::node("8", "3"));
}

// Parts of a Node's status of which no value is read make the Node wrong all the same.
TEST(IncrementalReading, ANodeWhoseStatusTurnsWrongIsGone) {
  const std::string head = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":)";
  const std::vector<std::pair<std::string, std::string>> turns = {
      {"null", "\"none\""},
      {R"({"conditions":null})", R"({"conditions":"none"})"},
      {R"({"conditions":[{"type":"Ready","status":"True"}]})",
       R"({"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"noon"}]})"}};
  for (const auto& [right, wrong] : turns) {
    SCOPED_TRACE(wrong);
    Small small;
    small.note("nodes/n1", head + right + "}");
    small.reading.read(Extent::Parts, small.vocabulary);
    small.note("nodes/n1", head + wrong + "}");
    ASSERT_TRUE(small.reading.has_parts());
    SourceUpdate update = small.reading.read(Extent::Parts, small.vocabulary);
    EXPECT_EQ(update.diff.changes.removed.nodes, std::vector<std::string>{"n1"});
  }
}

// Of two conditions of one type the last one counts.
TEST(IncrementalReading, ConditionsThatChangePlacesAreRead) {
  const std::string head =
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":{"conditions":[)";
  const std::string yes = R"({"type":"Ready","status":"True"})";
  const std::string no = R"({"type":"Ready","status":"False"})";
  Small small;
  small.note("nodes/n1", head + no + "," + yes + "]}}");
  small.reading.read(Extent::Parts, small.vocabulary);
  small.note("nodes/n1", head + yes + "," + no + "]}}");
  ASSERT_TRUE(small.reading.has_parts());
  SourceUpdate update = small.reading.read(Extent::Parts, small.vocabulary);
  ASSERT_THAT(update.diff.changes.upserts.nodes, testing::SizeIs(1));
  EXPECT_FALSE(update.diff.changes.upserts.nodes.front().ready);
}

// The whole text counts where it is no single object.
TEST(IncrementalReading, WhatFollowsAnObjectIsRead) {
  auto named = [](const std::string& name) {
    return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + "\"}}";
  };
  Small small;
  small.note("nodes/n1", named("n1") + named("n2"));
  small.reading.read(Extent::Parts, small.vocabulary);
  small.note("nodes/n1", named("n1") + named("n3"));
  ASSERT_TRUE(small.reading.has_parts());
  SourceUpdate update = small.reading.read(Extent::Parts, small.vocabulary);
  EXPECT_EQ(update.diff.changes.removed.nodes, std::vector<std::string>{"n2"});
  EXPECT_EQ(names_of(update.diff.changes.upserts.nodes), std::vector<std::string>{"n3"});
}

TEST(IncrementalReading, PartsAreReadWhileWhatReachesFarWaits) {
  Small small;
  small.note("queues/q", Small::queue("2"));
  small.note("pods/default/p", Small::pod("2"));
  EXPECT_TRUE(small.reading.has_parts() && small.reading.has_everything());
  SourceUpdate part = small.reading.read(Extent::Parts, small.vocabulary);
  EXPECT_THAT(part.diff.changes.upserts.pods, testing::SizeIs(1));
  EXPECT_THAT(part.diff.changes.upserts.queues, testing::IsEmpty());
  EXPECT_FALSE(small.reading.has_parts());
  EXPECT_TRUE(small.reading.has_everything());
  SourceUpdate rest = small.reading.read(Extent::Everything, small.vocabulary);
  EXPECT_THAT(rest.diff.changes.upserts.pods, testing::IsEmpty());
  EXPECT_THAT(rest.diff.changes.upserts.queues, testing::SizeIs(1));
}

TEST(IncrementalReading, WhatIsForgottenIsReadAsItStands) {
  Small small;
  small.reading.forget({.pods = {{"default", "p"}, {"default", "gone"}}, .workloads = {}});
  EXPECT_TRUE(small.reading.has_parts());
  SourceUpdate update = small.reading.read(Extent::Parts, small.vocabulary);
  EXPECT_EQ(small.reading.extent(), Extent::Parts);
  EXPECT_EQ(names_of(update.diff.changes.upserts.pods), std::vector<std::string>{"p"});
  EXPECT_THAT(update.diff.staying, testing::IsEmpty());
  EXPECT_THAT(update.diff.changes.upserts.nodes, testing::IsEmpty());
  small.reading.forget({.pods = {}, .workloads = {}, .everything = true});
  EXPECT_TRUE(small.reading.has_everything());
  update = small.reading.read(Extent::Everything, small.vocabulary);
  EXPECT_EQ(names_of(update.diff.changes.upserts.pods), std::vector<std::string>{"p"});
}

TEST(IncrementalReading, DiagnosticsStandAsLongAsWhatTheyAreAbout) {
  Small small;
  auto count = [](const SourceUpdate& update) { return update.diagnostics->size(); };
  small.note("pods/default/p", Small::pod("much"));
  SourceUpdate wrong = small.reading.read(Extent::Parts, small.vocabulary);
  ASSERT_EQ(count(wrong), 1U);
  EXPECT_EQ(wrong.diagnostics->front().file, "pods/default/p");
  small.note("nodes/n1", Small::node("8", "1"));
  SourceUpdate same = small.reading.read(Extent::Parts, small.vocabulary);
  EXPECT_EQ(same.diagnostics, wrong.diagnostics);
  small.note("pods/default/p", Small::pod("1"));
  EXPECT_EQ(count(small.reading.read(Extent::Parts, small.vocabulary)), 0U);
}

}  // namespace
}  // namespace trellis::incremental_reading_test
