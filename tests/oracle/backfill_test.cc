// Backfill against a slow model: small halls, in which gangs with known run times come and end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "framework/appointment.h"
#include "tests/oracle/backfill_model.h"
#include "tests/support/long_run.h"
#include "tests/support/queues.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::oracle::backfill_test {
namespace {

std::string numbered(const char* prefix, size_t index) { return prefix + std::to_string(index); }

constexpr int64_t kMostWithoutStart = 4;

struct RandomGang {
  ModelGang model;
  std::string queue;
  int32_t priority = 50;
  TimeUs created = 0;
  TimeUs runs = 0;  // as long as it really runs
  TimeUs started = kNoTime;
  TimeUs promised = kModelNever;  // the earliest of its appointments that count
  bool waits = false;
  std::map<std::string, int64_t> places;  // pods by node

  bool goes_before(const RandomGang& other) const {
    return std::tuple(-priority, created, model.name) <
           std::tuple(-other.priority, other.created, other.model.name);
  }
  TimeUs end() const { return model.run_time == kModelNever ? kModelNever : started + runs; }
};

// Whether queues have limits of their own.
enum class Bounds : uint8_t { None, Limits };

// Whether gangs are moved and preempted for others.
enum class Moves : uint8_t { None, Some };

// A hall of a few nodes, and gangs that come one after the other.
class Hall {
 public:
  Hall(uint64_t seed, Bounds bounds, Moves moves = Moves::None) : random_(seed), moves_(moves) {
    world_.config.actions = {"allocate"};
    if (moves == Moves::Some) world_.config.actions = {"allocate", "consolidation", "preempt"};
    world_.config.queues.backfill = random_.chance(50) ? Backfill::Easy : Backfill::Conservative;
    world_.topology("t", {"rack"});
    size_t racks = static_cast<size_t>(random_.between(1, 3));
    size_t nodes = static_cast<size_t>(random_.between(1, 4));
    for (size_t i = 0; i < nodes; ++i) {
      TimedNode node{numbered("n", i), numbered("r", i % racks), random_.between(1, 8)};
      world_.node(node.name, {.gpu = node.gpus, .labels = {{"rack", node.rack}}});
      nodes_.push_back(node);
    }
    queues_ = static_cast<size_t>(random_.between(1, 3));
    for (size_t i = 0; i < queues_; ++i) {
      QueueArgs args{.gpu_quota = -1, .cpu_quota = -1};
      if (bounds == Bounds::Limits && random_.chance(50)) {
        args.gpu_limit = static_cast<double>(random_.between(3, 12));
      }
      add_queue(world_.cluster, numbered("q", i), args);
    }
  }

  bool conservative() const { return world_.config.queues.backfill == Backfill::Conservative; }
  const std::vector<RandomGang>& gangs() const { return gangs_; }
  TimeUs now() const { return now_; }
  // Gangs that left their places for others.
  int64_t evicted() const { return evicted_; }

  // A gang comes.
  void arrive() {
    RandomGang gang;
    gang.model.name = numbered("g", gangs_.size());
    gang.model.pods = random_.between(1, 4);
    gang.model.gpus = random_.between(1, 6);
    gang.model.one_rack = random_.chance(40);
    gang.runs = random_.between(1, 12) * kSecondUs;
    gang.model.run_time = random_.chance(85) ? gang.runs : kModelNever;
    gang.queue = numbered("q", random_.below(static_cast<uint32_t>(queues_)));
    gang.priority = random_.chance(moves_ == Moves::Some ? 40 : 20) ? 60 : 50;
    gang.created = now_;
    gang.waits = true;
    GangArgs args{.count = static_cast<int32_t>(gang.model.pods),
                  .pod = {.cpu = 0.1, .gpu = gang.model.gpus},
                  .priority = gang.priority,
                  .created = now_,
                  .queue = gang.queue};
    if (gang.model.one_rack) args.topology = "t", args.required = "rack";
    if (gang.model.run_time != kModelNever) args.run_time = gang.model.run_time;
    world_.gang(gang.model.name, args);
    // Those behind it in its queue lose what they were promised.
    for (RandomGang& other : gangs_) {
      if (other.queue == gang.queue && other.priority < gang.priority) {
        other.promised = kModelNever;
      }
    }
    gangs_.push_back(gang);
  }

  // Gangs end whose time has come; a gang without a known run time never ends.
  void end_gangs() {
    for (RandomGang& gang : gangs_) {
      if (gang.started == kNoTime || gang.places.empty() || gang.end() > now_) continue;
      for (int64_t i = 0; i < gang.model.pods; ++i) {
        world_.remove_pod(gang.model.name + "-" + std::to_string(i));
      }
      world_.cluster.remove_gang("default", gang.model.name);
      gang.places.clear();
    }
  }

  // Until no gang waits for others to leave: they leave at once.
  void cycle() {
    while (take_step()) {
    }
  }

  bool take_step() {
    found_ = world_.cycle(now_).appointments;
    bool leaving = false;
    for (RandomGang& gang : gangs_) {
      bool runs = !gang.waits && !gang.places.empty();
      if (!gang.waits && !runs) continue;
      gang.places.clear();
      int64_t stay = 0;
      for (int64_t i = 0; i < gang.model.pods; ++i) {
        std::string pod = gang.model.name + "-" + std::to_string(i);
        PodStatus status = world_.status_of(pod);
        stay += status == PodStatus::Running ? 1 : 0;
        bool placed = status == PodStatus::Running || status == PodStatus::Bound;
        if (placed) ++gang.places[world_.node_of(pod)];
        leaving = leaving || (runs && !placed);
      }
      // Consolidation moves some pods of a gang while the others go on.
      if (runs && stay == 0) leave(gang);
      if (!gang.waits || gang.places.empty()) continue;
      gang.waits = false;
      gang.started = now_;
    }
    world_.pass_time();
    for (const RandomGang& gang : gangs_) {
      if (gang.started != now_ || gang.places.empty()) continue;
      world_.cluster.set_gang_times(world_.gang_id(gang.model.name), now_, kNoTime);
    }
    return leaving;
  }

  const Appointments& appointments() const {
    static const Appointments none;
    return found_ ? *found_ : none;
  }

  RandomGang& gang(std::string_view name) {
    return *std::ranges::find_if(gangs_, [&](const auto& one) { return one.model.name == name; });
  }

  // A gang that had no promise starts or gets its first one: those behind it in its queue lose
  // theirs, since the order of the queue is its owner's.
  void lapse_behind_unpromised() {
    for (const RandomGang& gang : gangs_) {
      bool starts = !gang.waits && gang.started == now_;
      bool has_one = std::ranges::any_of(
          appointments(), [&](const Appointment& one) { return one.gang == gang.model.name; });
      if (gang.promised != kModelNever || (!starts && !has_one)) continue;
      for (RandomGang& other : gangs_) {
        if (other.queue == gang.queue && gang.goes_before(other)) other.promised = kModelNever;
      }
    }
  }

  // Waiting gangs of the queue without an appointment.
  int64_t without_start(const std::string& queue) const {
    return std::ranges::count_if(gangs_, [&](const RandomGang& gang) {
      bool has_one = std::ranges::any_of(
          appointments(), [&](const Appointment& one) { return one.gang == gang.model.name; });
      return gang.waits && gang.queue == queue && !has_one;
    });
  }

  // The gangs that run, and these appointments.
  RoomModel model(size_t appointments) {
    RoomModel model;
    model.nodes = nodes_;
    for (const RandomGang& gang : gangs_) {
      for (const auto& [node, pods] : gang.places) {
        model.taken.push_back({node, pods * gang.model.gpus, gang.started, gang.end()});
      }
    }
    for (size_t i = 0; i < appointments; ++i) add(this->appointments()[i], model);
    return model;
  }

  void add(const Appointment& appointment, RoomModel& model) {
    const ModelGang& of = gang(appointment.gang).model;
    TimeUs until = of.run_time == kModelNever ? kModelNever : appointment.start + of.run_time;
    for (const AppointedPod& pod : appointment.pods) {
      model.taken.push_back({pod.node, of.gpus, appointment.start, until});
    }
  }

  // The next time at which something happens; kModelNever: nothing will.
  TimeUs next() const {
    TimeUs next = kModelNever;
    for (const RandomGang& gang : gangs_) {
      if (!gang.places.empty()) next = std::min(next, gang.end());
    }
    for (const Appointment& one : appointments()) next = std::min(next, one.start);
    return next;
  }
  void pass_to(TimeUs now) { now_ = now; }
  Random& random() { return random_; }

 private:
  void leave(RandomGang& gang) {
    gang.waits = true;
    gang.started = kNoTime;
    gang.promised = kModelNever;
    ++evicted_;
  }

  Random random_;
  Moves moves_;
  int64_t evicted_ = 0;
  World world_;
  std::shared_ptr<const Appointments> found_;
  std::vector<TimedNode> nodes_;
  size_t queues_ = 1;
  std::vector<RandomGang> gangs_;
  TimeUs now_ = 1000 * kSecondUs;
};

// No appointment is in the way of another, nor is what runs.
std::string clash(Hall& hall) {
  RoomModel model = hall.model(hall.appointments().size());
  for (const TakenRoom& room : model.taken) {
    for (const TimedNode& node : model.nodes) {
      if (node.name != room.node) continue;
      TimeUs from = std::max(room.from, hall.now());
      if (model.least_free(node, from, from + 1) < 0) return node.name + " is too full";
    }
  }
  return "";
}

std::string print(Hall& hall) {
  std::string text;
  for (const RandomGang& gang : hall.gangs()) {
    text += gang.model.name + " " + gang.queue + " prio " + std::to_string(gang.priority) + ": " +
            std::to_string(gang.model.pods) + " x " + std::to_string(gang.model.gpus) +
            (gang.model.one_rack ? " rack" : "") + " runs " +
            (gang.model.run_time == kModelNever ? "?" : std::to_string(gang.model.run_time)) +
            (gang.waits ? " waits" : "");
    for (const auto& [node, pods] : gang.places) text += " " + node + ":" + std::to_string(pods);
    text += "\n";
  }
  for (const Appointment& one : hall.appointments()) {
    text += one.gang + " at " + std::to_string(one.start) + " made " + std::to_string(one.made);
    for (const AppointedPod& pod : one.pods) text += " " + pod.node;
    text += "\n";
  }
  for (const TimedNode& node : hall.model(0).nodes) {
    text += node.name + " " + node.rack + " " + std::to_string(node.gpus) + "\n";
  }
  return text + "now " + std::to_string(hall.now()) + "\n";
}

// Gangs that begin at random with some that run: each appointment is the earliest start that the
// model finds beside those that were made before it, and where none was made there is none.
TEST(BackfillOracle, StartsAreTheEarliest) {
  uint64_t cases = long_run(3000, 1'000'000);
  int64_t made = 0;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    Hall hall(seed, Bounds::None);
    for (int64_t left = hall.random().between(1, 3); left > 0; --left) hall.arrive();
    hall.cycle();
    // Those that did not fit at once have appointments already; those cases are left out.
    hall.pass_to(hall.now() + 1);
    for (int64_t left = hall.random().between(1, 4); left > 0; --left) hall.arrive();
    size_t before = hall.appointments().size();
    hall.cycle();
    ASSERT_EQ(clash(hall), "") << "seed " << seed << "\n" << print(hall);
    if (before > 0) continue;
    const Appointments& appointments = hall.appointments();
    for (size_t i = 0; i < appointments.size(); ++i) {
      const ModelGang& gang = hall.gang(appointments[i].gang).model;
      ASSERT_EQ(appointments[i].start, hall.model(i).earliest(gang, hall.now()))
          << "seed " << seed << " gang " << gang.name << "\n"
          << print(hall);
      ++made;
    }
    for (const RandomGang& gang : hall.gangs()) {
      bool has_one = std::ranges::any_of(
          appointments, [&](const Appointment& one) { return one.gang == gang.model.name; });
      if (!gang.waits || has_one || !hall.conservative()) continue;
      // After some gangs of a queue whose start is not known, others are not searched for.
      if (hall.without_start(gang.queue) > kMostWithoutStart) continue;
      ASSERT_EQ(hall.model(appointments.size()).earliest(gang.model, hall.now()), kModelNever)
          << "seed " << seed << " gang " << gang.model.name << "\n"
          << print(hall);
    }
  }
  EXPECT_GT(made, static_cast<int64_t>(cases / 10));
}

struct HistoryCounts {
  int64_t promises = 0;
  int64_t evicted = 0;
};

// Gangs come and end; each starts when it was promised to start, or before.
void follow_history(uint64_t seed, Moves moves, HistoryCounts& counts) {
  Hall hall(seed ^ (uint64_t{1} << 40), seed % 2 == 0 ? Bounds::None : Bounds::Limits, moves);
  int64_t left = hall.random().between(4, 12);
  TimeUs arrival = hall.now();
  for (int steps = 0; steps < 200; ++steps) {
    TimeUs next = std::min(hall.next(), left > 0 ? arrival : kModelNever);
    if (next == kModelNever) break;
    hall.pass_to(std::max(next, hall.now()));
    hall.end_gangs();
    while (left > 0 && arrival <= hall.now()) {
      hall.arrive();
      --left;
      arrival += hall.random().between(0, 4) * kSecondUs;
    }
    hall.cycle();
    ASSERT_EQ(clash(hall), "") << "seed " << seed << "\n" << print(hall);
    hall.lapse_behind_unpromised();
    for (const Appointment& one : hall.appointments()) {
      RandomGang& gang = hall.gang(one.gang);
      ASSERT_TRUE(gang.waits);
      ASSERT_GT(one.start, hall.now()) << "seed " << seed << " gang " << one.gang << "\n"
                                       << print(hall);
      counts.promises += gang.promised == kModelNever ? 1 : 0;
      gang.promised = std::min(gang.promised, one.start);
    }
    for (const RandomGang& gang : hall.gangs()) {
      if (gang.waits) {
        ASSERT_GT(gang.promised, hall.now())
            << "seed " << seed << " gang " << gang.model.name << "\n"
            << print(hall);
      } else {
        ASSERT_LE(gang.started, gang.promised)
            << "seed " << seed << " gang " << gang.model.name << "\n"
            << print(hall);
      }
    }
  }
  counts.evicted += hall.evicted();
}

TEST(BackfillOracle, NoGangStartsLaterThanPromised) {
  uint64_t cases = long_run(1500, 300'000);
  HistoryCounts counts;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    follow_history(seed, Moves::None, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.promises, static_cast<int64_t>(cases / 2));
}

TEST(BackfillOracle, NoGangStartsLaterThanPromisedWhereOthersAreMoved) {
  uint64_t cases = long_run(1500, 100'000);
  HistoryCounts counts;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    follow_history(seed, Moves::Some, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.promises, static_cast<int64_t>(cases / 2));
  EXPECT_GT(counts.evicted, static_cast<int64_t>(cases / 5));
}

// Promises that were broken for others of the queue: by room that these had lost, now and when it
// is due, and by a limit of the queue.
TEST(BackfillOracle, HistoriesThatBrokePromises) {
  HistoryCounts counts;
  for (uint64_t seed : {16'922, 28'602, 115'281}) follow_history(seed, Moves::None, counts);
  EXPECT_GT(counts.promises, 6);
}

}  // namespace
}  // namespace trellis::oracle::backfill_test
