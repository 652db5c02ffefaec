// A book that looks at what was touched wants what one wants that looks at everything.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/kube/status/status_book.h"
#include "tests/server/kube/status/live_world.h"
#include "tests/server/kube/status/workload_world.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"

namespace trellis::touched_look_test {
namespace {

using test::LiveWorld;

constexpr uint32_t kNodes = 5;
constexpr uint32_t kGangs = 5;
constexpr uint32_t kPods = 10;

constexpr const char* kFixed = R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: research}
spec: {resources: {gpu: {quota: 4}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: job, namespace: default, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  suspend: true
  parallelism: 2
  completions: 2
  template:
    metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}
    spec:
      restartPolicy: Never
      containers: [{name: c, resources: {requests: {cpu: '1'}}}]
---
)";

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    world_.put(std::string(test::kQuota) + kFixed);
  }

  void run() {
    for (int step = 0; step < 25 && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      uint32_t changes = random_.below(4);
      for (uint32_t i = 0; i < changes; ++i) change();
      if (random_.chance(30)) world_.pass(random_.below(7) * kSecondUs);
      world_.cycle();
      if (random_.chance(60)) look();
    }
  }

 private:
  std::string name(const char* prefix, uint32_t count) {
    return prefix + std::to_string(random_.below(count));
  }

  void put_node(const std::string& name) {
    world_.put("apiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {rack: r" +
               std::to_string(random_.below(2)) + ", pool: gold, kubernetes.io/hostname: " + name +
               "}}\nspec: {unschedulable: " + (random_.chance(20) ? "true" : "false") +
               "}\nstatus: {allocatable: {cpu: '4', memory: 64Gi, pods: '110', nvidia.com/gpu: '" +
               std::to_string(random_.below(4)) + "'}}\n");
  }

  void put_gang(const std::string& name) {
    world_.put(
        "apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: " + name +
        ", uid: " + name + "-" + std::to_string(random_.below(3)) + "}\nspec: {minMember: " +
        std::to_string(1 + random_.below(3)) + (random_.chance(50) ? ", queue: research" : "") +
        (random_.chance(40) ? ", topologyConstraint: {topology: hall, requiredTopologyLevel: rack}"
                            : "") +
        "}\n");
  }

  void put_pod(const std::string& name) {
    world_.put("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", uid: " + name + "-" +
               std::to_string(random_.below(3)) +
               ", annotations: {pod-group-name: " + this->name("g", kGangs) +
               "}}\nspec: {containers: [{name: c, resources: {requests: {nvidia.com/gpu: '" +
               std::to_string(random_.below(3)) + "'}}}]}\nstatus: {phase: Pending}\n");
  }

  // As the controller of the Job makes it.
  void put_pod_of_job(const std::string& name) {
    Json job = world_.object("Job", "job");
    Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}};
    pod["metadata"] = job["spec"]["template"]["metadata"];
    pod["metadata"]["name"] = name;
    pod["metadata"]["ownerReferences"] = {{{"apiVersion", "batch/v1"},
                                           {"kind", "Job"},
                                           {"name", "job"},
                                           {"uid", "uid-job"},
                                           {"controller", true}}};
    pod["spec"] = job["spec"]["template"]["spec"];
    pod["status"] = {{"phase", "Pending"}};
    world_.put(one_line(pod));
  }

  // What happens to a pod that is there.
  void edit_pod(const std::string& name) {
    if (!world_.has("Pod", name)) return;
    uint32_t what = random_.below(4);
    std::string node = this->name("n", kNodes);
    world_.edit("Pod", name, [&](Json& pod) {
      bool is_bound = pod["spec"].contains("nodeName");
      if (what == 0 && !is_bound) {
        pod["spec"]["nodeName"] = node;
        if (random_.chance(70)) pod["status"]["phase"] = "Running";
      }
      if (what == 1 && is_bound) pod["status"]["phase"] = "Running";
      if (what == 2 && is_bound) {
        pod["status"]["phase"] = random_.chance(50) ? "Succeeded" : "Failed";
      }
      if (what == 3) pod["metadata"]["deletionTimestamp"] = "2027-01-01T00:00:00Z";
    });
  }

  void remove(const std::string& kind, const std::string& name) {
    if (world_.has(kind, name)) world_.remove(kind, name);
  }

  void change() {
    switch (random_.below(9)) {
      case 0:
      case 1:
        return put_node(name("n", kNodes));
      case 2:
        return put_gang(name("g", kGangs));
      case 3:
      case 4:
        return put_pod(name("p", kPods));
      case 5:
        return put_pod_of_job(name("j", 2));
      case 6:
        return edit_pod(name("p", kPods));
      case 7:
        return remove("Pod", random_.chance(70) ? name("p", kPods) : name("j", 2));
      default:
        return random_.chance(50) ? remove("Node", name("n", kNodes))
                                  : remove("PodGroup", name("g", kGangs));
    }
  }

  void look() {
    world_.ask([&](const StatusView& view, TouchedSince& touched) {
      part_.look(view, touched.take());
      whole_.look(view, Touched());
      EXPECT_EQ(part_.next_look(), whole_.next_look());
      EXPECT_EQ(part_.next_at(view.now), whole_.next_at(view.now));
      compare_events(view.now);
      compare_writes(view);
    });
  }

  static std::string text_of(const ApiRequest& request) {
    return request.method + " " + request.target + " " + request.body;
  }

  void compare_events(TimeUs now) {
    while (true) {
      std::optional<EventBook::Write> part = part_.next_event(now);
      std::optional<EventBook::Write> whole = whole_.next_event(now);
      EXPECT_EQ(part ? text_of(part->request) : "", whole ? text_of(whole->request) : "");
      if (!part || !whole) return;
      part_.done(part->ticket, {.status = 201}, now);
      whole_.done(whole->ticket, {.status = 201}, now);
    }
  }

  void compare_writes(const StatusView& view) {
    while (true) {
      std::optional<StatusBook::Write> part = part_.next_write(view);
      std::optional<StatusBook::Write> whole = whole_.next_write(view);
      EXPECT_EQ(part ? text_of(part->request) : "", whole ? text_of(whole->request) : "");
      if (!part || !whole) return;
      int status = random_.chance(20) ? 409 : world_.take(part->request);
      part_.done(part->key, {.status = status}, view.now);
      whole_.done(whole->key, {.status = status}, view.now);
    }
  }

  Random random_;
  LiveWorld world_;
  StatusBook part_{{}};
  StatusBook whole_{{}};
};

TEST(StatusBook, LookingAtWhatWasTouchedItWantsTheSameWrites) {
  uint64_t seeds = long_run(150, 10'000);
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeedGuard guard(seed);
    History(seed).run();
  }
}

TEST(StatusBook, FiguresThatGoBackAreNotWaitedFor) {
  LiveWorld world;
  auto node = [](const std::string& name) {
    return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
           "}\nstatus: {allocatable: {cpu: '1', pods: '110'}}\n---\n";
  };
  world.put(node("n1") +
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, "
            "resources: {requests: {cpu: '2'}}}]}\nstatus: {phase: Pending}\n");
  StatusBook book({});
  world.cycle();
  world.write(book);
  world.put(node("n2"));
  world.cycle();
  world.write(book);
  EXPECT_NE(book.next_look(), kNoTime);
  world.remove("Node", "n2");
  world.cycle();
  world.write(book);
  EXPECT_EQ(book.next_look(), kNoTime);
}

// As where another book took what was touched.
TEST(StatusBook, TheFirstLookIsAtEverything) {
  LiveWorld world;
  world.put(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
      "spec: {containers: [{name: c}]}\nstatus: {phase: Pending}\n");
  world.cycle();
  world.ask([&](const StatusView& view, TouchedSince& touched) {
    touched.take();
    StatusBook book({});
    book.look(view, touched.take());
    EXPECT_TRUE(book.has_write(view.now));
  });
}

}  // namespace
}  // namespace trellis::touched_look_test
