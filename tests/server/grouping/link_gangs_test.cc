#include "server/grouping/link_gangs.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/server/manifest/reading.h"

namespace trellis::test::link_gangs_test {
namespace {

using Names = std::vector<std::string>;

std::string object(const std::string& kind, const std::string& name,
                   const std::string& metadata = "", const std::string& rest = "") {
  return "---\n{apiVersion: " + kind.substr(0, kind.find(' ')) +
         ", kind: " + kind.substr(kind.find(' ') + 1) + ", metadata: {name: " + name + metadata +
         "}" + rest + "}\n";
}

std::string owner(const std::string& kind, const std::string& name) {
  return ", ownerReferences: [{apiVersion: " + kind.substr(0, kind.find(' ')) +
         ", kind: " + kind.substr(kind.find(' ') + 1) + ", name: " + name + ", controller: true}]";
}

std::string pod(const std::string& name, const std::string& metadata = "",
                const std::string& spec = "") {
  return object("v1 Pod", name, metadata, ", spec: {" + spec + "}");
}

std::string pod_group(const std::string& name, const std::string& spec = "",
                      const std::string& metadata = "") {
  return object("scheduling.run.ai/v2alpha2 PodGroup", name, metadata, ", spec: {" + spec + "}");
}

std::string queue(const std::string& name) {
  return object("scheduling.run.ai/v2 Queue", name, "", ", spec: {}");
}

TEST(LinkGangs, PodGroupElseOwnerElseThePodItself) {
  Reading reading =
      read(pod_group("g", "minMember: 2") + pod("a", ", annotations: {pod-group-name: g}") +
           pod("b", ", labels: {pod-group-name: g}") +
           pod("c", owner("kubeflow.org/v1 PyTorchJob", "train")) +
           pod("d", owner("kubeflow.org/v1 PyTorchJob", "train")) + pod("e"));
  EXPECT_EQ(reading.diagnostics(), Names{});
  EXPECT_EQ(reading.gang_names(), (Names{"e", "g", "train"}));
  EXPECT_EQ(reading.gang_of("a"), "default/g");
  EXPECT_EQ(reading.gang_of("b"), "default/g");
  EXPECT_EQ(reading.gang_of("c"), "default/train");
  EXPECT_EQ(reading.gang_of("d"), "default/train");
  EXPECT_EQ(reading.gang_of("e"), "default/e");
  EXPECT_EQ(reading.gang("g")->min_member, 2);
  EXPECT_EQ(reading.gang("train")->min_member, 1);
}

TEST(LinkGangs, NamespacesKeepApart) {
  Reading reading =
      read(pod_group("g") + pod("a", ", namespace: x, annotations: {pod-group-name: g}") +
           pod("b", ", namespace: x" + owner("batch/v1 Job", "j")) +
           pod("b", ", namespace: y" + owner("batch/v1 Job", "j")));
  EXPECT_EQ(reading.gang_of("a"), "x/g");
  EXPECT_EQ(reading.manifest.objects.gangs.size(), 4U);  // default/g, x/g, x/j, y/j
}

TEST(LinkGangs, AnAbsentPodGroupMakesItsPodsWait) {
  Reading reading = read(pod_group("train") + pod("a", ", annotations: {pod-group-name: trian}"));
  EXPECT_EQ(reading.gang_of("a"), "default/trian");
  EXPECT_EQ(reading.reasons("trian"), std::vector<ReasonCode>{ReasonCode::GangNotFound});
  EXPECT_FALSE(reading.manifest.has_errors());
  EXPECT_EQ(reading.diagnostics(),
            Names{"in.yaml:4: warning: doc 2: found pod-group-name \"trian\", which is not in the "
                  "input, expected the name of a PodGroup (the gang waits); did you mean "
                  "\"train\"?"});
}

TEST(LinkGangs, OwnersAreFollowedAsFarAsTheyAreKnown) {
  Reading reading =
      read(pod("a", owner("batch/v1 Job", "set-0")) +
           object("batch/v1 Job", "set-0", owner("jobset.x-k8s.io/v1alpha2 JobSet", "set"),
                  ", spec: {suspend: true, template: {spec: {}}}") +
           pod("b", owner("batch/v1 Job", "other")));
  EXPECT_EQ(reading.gang_of("a"), "default/set");
  EXPECT_EQ(reading.gang_of("b"), "default/other");
}

TEST(LinkGangs, UnderAReplicaSetPodsStandForThemselves) {
  Reading reading = read(
      pod("a-1", owner("apps/v1 ReplicaSet", "a")) + pod("a-2", owner("apps/v1 ReplicaSet", "a")) +
      object("apps/v1 ReplicaSet", "a",
             owner("apps/v1 Deployment", "d") + ", annotations: {kai.scheduler/queue: q}") +
      queue("q") + pod("s-0", owner("apps/v1 StatefulSet", "s")) +
      pod("s-1", owner("apps/v1 StatefulSet", "s")));
  EXPECT_EQ(reading.diagnostics(), Names{});
  EXPECT_EQ(reading.gang_names(), (Names{"a-1", "a-2", "s"}));
  EXPECT_EQ(reading.text(reading.gang("a-1")->queue), "q");
}

TEST(LinkGangs, StaticPodsAndDrivers) {
  Reading reading =
      read(pod("static", owner("v1 Node", "n1")) + pod("driver") +
           pod("exec-1", owner("v1 Pod", "driver")) + pod("exec-2", owner("v1 Pod", "driver")));
  EXPECT_EQ(reading.diagnostics(), Names{});
  EXPECT_EQ(reading.gang_names(), (Names{"driver", "static"}));
  EXPECT_EQ(reading.gang_of("exec-1"), "default/driver");
}

TEST(LinkGangs, CirclesAndLongChainsOfOwners) {
  Reading reading =
      read(pod("a", owner("x/v1 X", "x")) + object("x/v1 X", "x", owner("x/v1 Z", "z")) +
           object("x/v1 Z", "z", owner("x/v1 X", "x")) + pod("b", owner("v1 Pod", "b")));
  EXPECT_EQ(reading.gang_of("a"), "default/a");
  EXPECT_EQ(reading.gang_of("b"), "default/b");
  EXPECT_EQ(reading.diagnostics(),
            (Names{"in.yaml:2: doc 1: found owner references that lead back to X \"x\", expected a "
                   "chain of owners that ends",
                   "in.yaml:8: doc 4: found owner references that lead back to Pod \"b\", expected "
                   "a chain of owners that ends"}));
  std::string chain = pod("a", owner("x/v1 X", "o0"));
  for (int i = 0; i < 40; ++i) {
    chain +=
        object("x/v1 X", "o" + std::to_string(i), owner("x/v1 X", "o" + std::to_string(i + 1)));
  }
  Reading deep = read(chain);
  EXPECT_EQ(deep.diagnostics().front(),
            "in.yaml:2: doc 1: found a chain of more than 32 owners, expected fewer");
}

TEST(LinkGangs, OnAClashTheKindStandsBeforeTheName) {
  Reading reading =
      read(pod_group("train") + pod("train") + pod("a", owner("batch/v1 Job", "train")) +
           pod("b", owner("kubeflow.org/v1 MPIJob", "train")) +
           pod("c", owner("kubeflow.org/v2beta1 MPIJob", "train")) +
           pod("d", owner("other.org/v1 MPIJob", "train")) + pod("pod.x") + pod("x") +
           pod("e", owner("batch/v1 Job", "x")));
  EXPECT_EQ(reading.gang_names(),
            (Names{"job.train", "job.x", "mpijob.other.org.train", "mpijob.train", "pod.train",
                   "pod.x", "pod.x-2", "train"}));
  EXPECT_EQ(reading.gang_of("train"), "default/pod.train");
  EXPECT_EQ(reading.gang_of("a"), "default/job.train");
  EXPECT_EQ(reading.gang_of("b"), reading.gang_of("c"));
  EXPECT_NE(reading.gang_of("b"), reading.gang_of("d"));
}

TEST(LinkGangs, MinimaOfJobsBelowAnOwner) {
  auto jobs = [](const std::string& kind) {
    std::string text;
    for (const char* name : {"j1", "j2"}) {
      text += object("batch/v1 Job", name, owner(kind, "top"),
                     ", spec: {parallelism: 3, template: {spec: {}}}");
    }
    return read(text).gang("top")->min_member;
  };
  EXPECT_EQ(jobs("jobset.x-k8s.io/v1alpha2 JobSet"), 6);
  EXPECT_EQ(jobs("example.com/v1 Pipeline"), 3);
}

TEST(LinkGangs, PriorityAndPreemptibility) {
  std::string classes = object("scheduling.k8s.io/v1 PriorityClass", "high", "", ", value: 1000") +
                        object("scheduling.k8s.io/v1 PriorityClass", "train", "", ", value: 7");
  Reading reading = read(classes + pod_group("g", "priorityClassName: high") +
                         pod("a", ", annotations: {pod-group-name: g}", "priority: 5") +
                         pod("b", "", "priority: 5") + pod("c", "", "priorityClassName: high") +
                         pod("d", ", labels: {priorityClassName: high}", "priority: 5") +
                         pod("e", "", "priorityClassName: train") +
                         pod("f", "", "priorityClassName: inference") + pod("h") +
                         pod("i",
                             ", labels: {priorityClassName: build, kai.scheduler/preemptibility: "
                             "preemptible}") +
                         pod("j", "", "priorityClassName: system-node-critical"));
  EXPECT_EQ(reading.diagnostics(), Names{});
  auto priority = [&](const char* name) { return reading.gang(name)->priority; };
  EXPECT_EQ(priority("g"), 1000);
  EXPECT_FALSE(reading.gang("g")->preemptible);
  EXPECT_EQ(priority("b"), 5);
  EXPECT_EQ(priority("c"), 1000);
  EXPECT_EQ(priority("d"), 1000);
  EXPECT_EQ(priority("e"), 7);
  EXPECT_EQ(priority("f"), 125);
  EXPECT_EQ(priority("h"), kDefaultPriority);
  EXPECT_TRUE(reading.gang("h")->preemptible);
  EXPECT_EQ(priority("i"), 100);
  EXPECT_TRUE(reading.gang("i")->preemptible);
  EXPECT_EQ(priority("j"), 2'000'001'000);
}

TEST(LinkGangs, AnUnknownClassIsWorthAWarning) {
  Reading reading = read(pod_group("g", "priorityClassName: trian"));
  EXPECT_FALSE(reading.manifest.has_errors());
  EXPECT_EQ(reading.gang("g")->priority, kDefaultPriority);
  EXPECT_EQ(
      reading.diagnostics(),
      Names{"in.yaml:2: warning: doc 1: found the priority class \"trian\", expected the name "
            "of a PriorityClass (the default priority is taken); did you mean \"train\"?"});
  // Where the pods bring their number, nothing is lost.
  EXPECT_EQ(read(pod("a", "", "priorityClassName: gone, priority: 9")).diagnostics(), Names{});
}

TEST(LinkGangs, TheGlobalDefault) {
  Reading reading = read(
      object("scheduling.k8s.io/v1 PriorityClass", "x", "", ", value: 42, globalDefault: true") +
      pod("a"));
  EXPECT_EQ(reading.gang("a")->priority, 42);
}

TEST(LinkGangs, Queues) {
  std::string pods =
      pod_group("g", "queue: a") +
      pod("p", ", annotations: {pod-group-name: g}, labels: {kai.scheduler/queue: team}") +
      pod("q", ", labels: {kai.scheduler/queue: team}") + pod("r") +
      pod("s", ", labels: {kai.scheduler/queue: teams}");
  Reading reading = read(pods + queue("a") + queue("team"));
  EXPECT_EQ(reading.text(reading.gang("g")->queue), "a");
  EXPECT_EQ(reading.text(reading.gang("q")->queue), "team");
  EXPECT_FALSE(reading.gang("r")->queue.valid());
  EXPECT_EQ(reading.reasons("s"), std::vector<ReasonCode>{ReasonCode::QueueNotFound});
  EXPECT_EQ(reading.gang("s")->errors[0].subject, "teams");
  EXPECT_FALSE(reading.manifest.has_errors());
  EXPECT_EQ(
      reading.diagnostics(),
      Names{"in.yaml:10: warning: doc 5: found the queue \"teams\", which is not in the input, "
            "expected the name of a Queue (the gang waits); did you mean \"team\"?"});
  // Without any Queue there is only the implicit one.
  Reading none = read(pods);
  EXPECT_FALSE(none.gang("s")->queue.valid());
  EXPECT_TRUE(none.reasons("s").empty());
  EXPECT_EQ(none.diagnostics(), Names{});
}

// KAI's design: the annotations stand at the Job.
TEST(LinkGangs, TopologyFromTheOwner) {
  std::string topology = object("kai.scheduler/v1alpha1 Topology", "network", "",
                                ", spec: {levels: [{nodeLabel: zone}, {nodeLabel: rack}]}");
  Reading reading = read(topology + R"(---
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  annotations:
    kai.scheduler/topology-preferred-placement: "rack"
    kai.scheduler/topology-required-placement: "zone"
    kai.scheduler/topology: "network"
spec:
  template:
    metadata:
      annotations:
        kai.scheduler/topology-required-placement: "rack"
    spec: {}
---
apiVersion: batch/v1
kind: Job
metadata: {name: other}
spec:
  parallelism: 2
  template:
    metadata:
      annotations: {kai.scheduler/topology-required-placement: "rak", kai.scheduler/topology: network}
    spec: {}
)");
  const TopologyConstraint& asked = reading.gang("train")->topology;
  EXPECT_EQ(reading.text(asked.topology), "network");
  EXPECT_EQ(reading.text(asked.required), "zone");
  EXPECT_EQ(reading.text(asked.preferred), "rack");
  EXPECT_EQ(reading.reasons("other"), std::vector<ReasonCode>{ReasonCode::LevelUnknown});
  // Said once, not for each of the pods.
  EXPECT_EQ(
      reading.diagnostics(),
      Names{"in.yaml:26: doc 3: $.spec.template.metadata.annotations"
            "[\"kai.scheduler/topology-required-placement\"]: found \"rak\", expected a level "
            "of Topology \"network\" (zone, rack); did you mean \"rack\"?"});
}

TEST(LinkGangs, WhatIsBrokenWaits) {
  Reading reading =
      read(pod_group("g") + pod("a", ", annotations: {pod-group-name: g}") +
           pod("b", ", annotations: {pod-group-name: g}", "priority: x") + pod("c") +
           object("batch/v1 Job", "j", "", ", spec: {template: {spec: {nodeSelector: {a: 1}}}}"));
  EXPECT_EQ(reading.reasons("g"), std::vector<ReasonCode>{ReasonCode::InvalidObject});
  EXPECT_EQ(reading.gang("g")->errors[0].subject,
            "Pod b: $.spec.priority: found \"x\", expected a whole number");
  EXPECT_TRUE(reading.reasons("c").empty());
  EXPECT_EQ(reading.reasons("j"), std::vector<ReasonCode>{ReasonCode::InvalidObject});
  EXPECT_EQ(reading.gang("j")->errors[0].subject.substr(0, 44),
            "Job j: $.spec.template.spec.nodeSelector.a: ");
  EXPECT_EQ(reading.pod_names(), (Names{"a", "b", "c", "j-0"}));
}

TEST(LinkGangs, TimesOfRunningPods) {
  Reading reading = read(pod_group("g", "",
                                   ", annotations: {kai.scheduler/last-start-timestamp: "
                                   "\"1970-01-01T00:00:05Z\"}") +
                         object("v1 Pod", "a", ", annotations: {pod-group-name: g}",
                                ", spec: {nodeName: n1}, status: {phase: Running}") +
                         object("v1 Pod", "b", ", annotations: {pod-group-name: g}",
                                ", spec: {nodeName: n1}, status: {phase: Running, startTime: "
                                "\"1970-01-01T00:00:07Z\"}") +
                         pod("c", ", annotations: {pod-group-name: g}"));
  EXPECT_EQ(reading.pod("a")->pod.started, 5 * kSecondUs);
  EXPECT_EQ(reading.pod("b")->pod.started, 7 * kSecondUs);
  EXPECT_EQ(reading.pod("c")->pod.started, kNoTime);
}

TEST(LinkGangs, TimesOfAPodGroup) {
  Reading reading = read(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata:
  name: g
  annotations:
    kai.scheduler/last-start-timestamp: "1970-01-01T00:00:07Z"
    kai.scheduler/stale-podgroup-timestamp: "1970-01-01T00:00:09Z"
    kai.scheduler/preemption-delay: 1h
spec: {minMember: 1, preemptionDelay: 2m, stalenessGracePeriod: -1s}
---
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: noted, annotations: {kai.scheduler/preemption-delay: 90s}}
spec: {minMember: 1}
)");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  const Gang* gang = reading.gang("g");
  EXPECT_EQ(gang->started, 7 * kSecondUs);
  EXPECT_EQ(gang->stale_since, 9 * kSecondUs);
  EXPECT_EQ(gang->preemption_delay_us, 120 * kSecondUs);
  EXPECT_EQ(gang->staleness_grace_us, -kSecondUs);
  EXPECT_EQ(reading.gang("noted")->preemption_delay_us, 90 * kSecondUs);
  EXPECT_EQ(reading.gang("noted")->staleness_grace_us, std::nullopt);
  EXPECT_EQ(reading.gang("noted")->stale_since, kNoTime);
}

TEST(LinkGangs, WhatMayBePreempted) {
  auto gang = [](const std::string& spec, const std::string& annotations) {
    Reading reading = read(
        "apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\n"
        "metadata: {name: g, annotations: {" +
        annotations + "}}\nspec: {minMember: 2" + spec + "}\n");
    EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
    const Gang* made = reading.gang("g");
    return std::tuple(made->preemptible, made->keeps_minimum, made->background);
  };
  EXPECT_EQ(gang("", ""), std::tuple(true, false, false));
  EXPECT_EQ(gang(", priorityClassName: inference", ""), std::tuple(false, false, false));
  EXPECT_EQ(gang(", preemptibility: semi-preemptible", ""), std::tuple(true, true, false));
  EXPECT_EQ(
      gang(", priorityClassName: inference", "kai.scheduler/preemptibility: semi-preemptible"),
      std::tuple(true, true, false));
  std::string filler = "trellis.scheduler/background: \"true\"";
  EXPECT_EQ(gang(", preemptibility: semi-preemptible", filler), std::tuple(true, false, true));
  EXPECT_EQ(gang(", preemptibility: non-preemptible", filler), std::tuple(true, false, true));
}

// The words count in their namespace.
TEST(LinkGangs, WantsToBeNear) {
  auto group = [](const std::string& name, const std::string& name_space, const std::string& word) {
    return "---\napiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: " + name +
           ", namespace: " + name_space + ", annotations: {trellis.scheduler/near: " + word +
           "}}\nspec: {minMember: 1}\n";
  };
  Reading reading = read(group("a", "default", "x") + group("b", "default", "x") +
                         group("c", "default", "y") + group("d", "other", "x"));
  EXPECT_EQ(reading.gang("a")->near, reading.gang("b")->near);
  EXPECT_NE(reading.gang("a")->near, reading.gang("c")->near);
  EXPECT_NE(reading.gang("a")->near, reading.gang("d")->near);
}

TEST(LinkGangs, ClassesThatPreemptNoPod) {
  auto moves = [](const std::string& group, const std::string& pod) {
    Reading reading = read(
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: shy}\n"
        "value: 5\npreemptionPolicy: Never\n---\n"
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: bold}\n"
        "value: 5\npreemptionPolicy: PreemptLowerPriority\n---\n"
        "apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: g}\n"
        "spec: {minMember: 1" +
        group +
        "}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {pod-group-name: g}}\n"
        "spec: {containers: [{name: c}]" +
        pod + "}\n");
    EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
    return reading.gang("g")->moves_others;
  };
  EXPECT_TRUE(moves("", ""));
  EXPECT_FALSE(moves(", priorityClassName: shy", ""));
  EXPECT_TRUE(moves(", priorityClassName: bold", ""));
  EXPECT_FALSE(moves("", ", priorityClassName: shy"));
  EXPECT_TRUE(moves(", priorityClassName: bold", ", priorityClassName: shy"));
  EXPECT_FALSE(moves(", priorityClassName: bold", ", preemptionPolicy: Never"));
}

TEST(LinkGangs, InnerQueuesHoldNoGangs) {
  Reading reading = read(R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: inner}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: leaf}
spec: {parentQueue: inner}
---
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g}
spec: {minMember: 1, queue: inner}
---
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: fine}
spec: {minMember: 1, queue: leaf}
)");
  EXPECT_TRUE(reading.manifest.has_errors());
  EXPECT_EQ(reading.diagnostics().size(), 1U);
  EXPECT_EQ(reading.reasons("g"), std::vector<ReasonCode>{ReasonCode::QueueNotLeaf});
  EXPECT_TRUE(reading.reasons("fine").empty());
}

}  // namespace
}  // namespace trellis::test::link_gangs_test
