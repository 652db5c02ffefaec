// Appointments over several cycles.
#include "actions/backfill/backfill.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/queues.h"
#include "tests/support/world.h"

namespace trellis::backfill_test {
namespace {

constexpr TimeUs kStart = 1000 * kSecondUs;
constexpr TimeUs kMinuteUs = 60 * kSecondUs;

// One node of 8 GPUs, where gang "runs" holds 6 of them and ends in an hour.
struct Hall {
  World world;

  Hall() {
    world.config.actions = {"allocate"};
    world.node("n", {.gpu = 8});
    world.gang("runs", {.count = 1, .pod = {.gpu = 6, .node = "n"}, .run_time = 60 * kMinuteUs});
    world.cluster.set_gang_times(world.gang_id("runs"), kStart, kNoTime);
  }

  void wait(const std::string& name, int64_t gpus, TimeUs run_time) {
    world.gang(name, {.count = 1, .pod = {.gpu = gpus}, .run_time = run_time});
  }
  const Appointment* appointment(const std::string& gang) const {
    if (world.record().appointments == nullptr) return nullptr;
    for (const Appointment& one : *world.record().appointments) {
      if (one.gang == gang) return &one;
    }
    return nullptr;
  }
  bool runs(const std::string& gang) const {
    return world.status_of(gang + "-0") == PodStatus::Bound;
  }
};

TEST(Backfill, AGangThatOverrunsIsExpectedToRunTwiceAsLong) {
  Hall hall;
  hall.wait("big", 8, kMinuteUs);
  hall.world.cycle(kStart + kMinuteUs);
  ASSERT_NE(hall.appointment("big"), nullptr);
  EXPECT_EQ(hall.appointment("big")->start, kStart + 60 * kMinuteUs);
  hall.world.cycle(kStart + 60 * kMinuteUs);
  ASSERT_NE(hall.appointment("big"), nullptr);
  EXPECT_EQ(hall.appointment("big")->start, kStart + 120 * kMinuteUs);
}

TEST(Backfill, AnAppointmentStaysWhereItIsUntilHalfOfTheTimeHasPassed) {
  Hall hall;
  hall.wait("big", 8, kMinuteUs);
  hall.world.cycle(kStart);
  hall.wait("other", 1, 200 * kMinuteUs);
  hall.world.cycle(kStart + 29 * kMinuteUs);
  EXPECT_EQ(hall.appointment("big")->made, kStart);
  EXPECT_EQ(hall.world.code_of("other"), ReasonCode::BehindAppointment);
  hall.wait("third", 1, 200 * kMinuteUs);
  hall.world.cycle(kStart + 31 * kMinuteUs);
  EXPECT_EQ(hall.appointment("big")->made, kStart + 31 * kMinuteUs);
  EXPECT_EQ(hall.appointment("big")->start, kStart + 60 * kMinuteUs);
}

TEST(Backfill, AnAppointmentIsMadeAgainWhereItsNodeIsClosed) {
  Hall hall;
  hall.world.node("m", {.gpu = 8});
  hall.world.gang("later",
                  {.count = 1, .pod = {.gpu = 8, .node = "m"}, .run_time = 90 * kMinuteUs});
  hall.world.cluster.set_gang_times(hall.world.gang_id("later"), kStart, kNoTime);
  hall.wait("big", 8, kMinuteUs);
  hall.world.cycle(kStart);
  EXPECT_EQ(hall.appointment("big")->pods.front().node, "n");
  hall.world.node("n", {.gpu = 8, .unschedulable = true});
  hall.world.cycle(kStart + kMinuteUs);
  ASSERT_NE(hall.appointment("big"), nullptr);
  EXPECT_EQ(hall.appointment("big")->pods.front().node, "m");
  EXPECT_EQ(hall.appointment("big")->start, kStart + 90 * kMinuteUs);
}

TEST(Backfill, AnotherSchedulerGoesOnWithTheAppointments) {
  Hall hall;
  hall.wait("big", 8, kMinuteUs);
  hall.world.cycle(kStart);
  std::shared_ptr<const Appointments> kept = hall.world.record().appointments;

  Hall other;
  other.wait("big", 8, kMinuteUs);
  other.world.scheduler().set_appointments(kept);
  other.world.cycle(kStart + kMinuteUs);
  EXPECT_EQ(*other.world.record().appointments, *kept);
  EXPECT_EQ(other.world.record().found, kept);
}

TEST(Backfill, AGangOfItsQueueThatGoesBeforeDoesNotWaitForIt) {
  Hall hall;
  hall.wait("big", 8, kMinuteUs);
  hall.world.cycle(kStart);
  hall.world.gang("urgent", {.count = 1, .pod = {.gpu = 2}, .priority = 80});
  hall.world.cycle(kStart + kMinuteUs);
  EXPECT_TRUE(hall.runs("urgent"));
  EXPECT_EQ(hall.appointment("big"), nullptr);
}

TEST(Backfill, WithoutRunTimesThereIsNoAppointment) {
  World world;
  world.config.actions = {"allocate"};
  world.node("n", {.gpu = 8});
  world.gang("runs", {.count = 1, .pod = {.gpu = 6, .node = "n"}});
  world.gang("big", {.count = 1, .pod = {.gpu = 8}});
  world.gang("small", {.count = 1, .pod = {.gpu = 2}});
  world.cycle(kStart);
  EXPECT_EQ(world.record().appointments, nullptr);
  EXPECT_EQ(world.status_of("small-0"), PodStatus::Bound);
}

TEST(Backfill, PastRunsPredictHowLongGangsRun) {
  World world;
  world.config.actions = {"allocate"};
  world.config.queues.run_time_quantile = 0.9;
  world.node("n", {.gpu = 8});
  TimeUs now = kStart;
  // Five gangs run for 10 minutes each, one after the other.
  for (int i = 0; i < 5; ++i) {
    std::string name = "past-" + std::to_string(i);
    GangId id = world.gang(name, {.count = 1, .pod = {.gpu = 8, .node = "n"}});
    world.cluster.set_gang_times(id, now, kNoTime);
    world.cycle(now);
    now += 10 * kMinuteUs;
    world.remove_pod(name + "-0");
    world.cluster.remove_gang("default", name);
    world.cycle(now);
  }
  ASSERT_NE(world.scheduler().past_runs(), nullptr);
  EXPECT_EQ(world.scheduler().past_runs()->front().lengths.size(), 5U);
  GangId id = world.gang("runs", {.count = 1, .pod = {.gpu = 6, .node = "n"}});
  world.cluster.set_gang_times(id, now, kNoTime);
  world.gang("big", {.count = 1, .pod = {.gpu = 8}});
  world.cycle(now);
  ASSERT_NE(world.record().appointments, nullptr);
  EXPECT_EQ(world.record().appointments->front().start, now + 10 * kMinuteUs);
}

}  // namespace
}  // namespace trellis::backfill_test
