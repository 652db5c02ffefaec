// Counts of a node whose devices are parts of GPUs that exclude each other.
#include "plugins/devices/device_ledger.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/device_claims.h"
#include "framework/node_values.h"
#include "framework/view.h"
#include "framework/vocabulary.h"
#include "tests/support/random.h"

namespace trellis::device_ledger_test {
namespace {

using devices::Quantity;

constexpr int kGpus = 3;
constexpr int kQuarters = 4;

// Parts of a GPU: its quarters, each pair of quarters that begins at an even one, and the whole.
devices::Slice parts_of(const std::string& node) {
  devices::Slice slice;
  slice.name = node + "-parts";
  slice.driver = "gpu.example.com";
  slice.pool = node;
  slice.slices_of_pool = 2;
  slice.reach = {devices::Reach::Form::OneNode, node, {}};
  for (int gpu = 0; gpu < kGpus; ++gpu) {
    std::string set = "gpu-" + std::to_string(gpu);
    for (int size : {4, 2, 1}) {
      for (int first = 0; first < kQuarters; first += size) {
        devices::Device device;
        device.name = set + "-" + std::to_string(size) + "-" + std::to_string(first);
        device.attributes = {{"size", cel::Value::integer(size)}};
        devices::CounterUse use{set, {}};
        for (int i = first; i < first + size; ++i) {
          use.counters.emplace_back("quarter-" + std::to_string(i), Quantity::of_units(1));
        }
        device.counters = {use};
        slice.devices.push_back(std::move(device));
      }
    }
  }
  return slice;
}

devices::Slice counters_of(const devices::Slice& parts) {
  devices::Slice slice = parts;
  slice.name = parts.pool + "-counters";
  slice.devices.clear();
  for (int gpu = 0; gpu < kGpus; ++gpu) {
    devices::CounterSet set{"gpu-" + std::to_string(gpu), {}};
    for (int i = 0; i < kQuarters; ++i) {
      set.counters.emplace_back("quarter-" + std::to_string(i), Quantity::of_units(1));
    }
    slice.counter_sets.push_back(std::move(set));
  }
  return slice;
}

devices::Claim claim_for(int64_t size) {
  devices::Claim claim;
  claim.name = "part-" + std::to_string(size);
  devices::Alternative alternative;
  alternative.device_class = "part";
  alternative.selectors = {R"(device.attributes["gpu.example.com"].size == )" +
                           std::to_string(size)};
  claim.requests = {{"r", {alternative}}};
  return claim;
}

class Hall {
 public:
  Hall() : values_(nodes_) {
    Node node;
    node.name = "n1";
    nodes_.push_back(std::move(node));
    devices::Slice parts = parts_of("n1");
    for (const devices::Slice& slice : {counters_of(parts), parts}) {
      stock_.slices[slice.name].slice = SharedValue(slice);
    }
    devices::Class one{.name = "part", .selectors = {R"(device.driver == "gpu.example.com")"}};
    stock_.classes["part"].device_class = SharedValue(one);
    view_.nodes = &nodes_;
    view_.devices = &stock_;
    view_.node_values = &values_;
    view_.vocabulary = &vocabulary_;
    map_.refresh(view_);
  }
  const DeviceMap& map() const { return map_; }

 private:
  IndexedVector<NodeId, Node> nodes_;
  NodeValues values_;
  Vocabulary vocabulary_;
  DeviceStock stock_;
  View view_;
  DeviceMap map_;
};

struct Held {
  int64_t size = 0;
  std::vector<DeviceLedger::ClaimId> ids;
};

// What of a size fits beside the others: quarters fill what is left, pairs need halves of GPUs.
int64_t room_for(int64_t size, const std::vector<Held>& held) {
  int64_t whole = 0;
  int64_t pairs = 0;
  int64_t quarters = 0;
  for (const Held& one : held) {
    whole += one.size == 4 ? 1 : 0;
    pairs += one.size == 2 ? 1 : 0;
    quarters += one.size == 1 ? 1 : 0;
  }
  int64_t halves = pairs + (quarters + 1) / 2;
  if (size == 4) return kGpus - whole - (halves + 1) / 2;
  if (size == 2) return 2 * (kGpus - whole) - halves;
  return 4 * (kGpus - whole) - 2 * pairs - quarters;
}

TEST(DeviceLedger, CountsWhatFitsHoweverTheOthersAreServedAndChangesNothing) {
  Random random(20261129);
  Hall hall;
  NodeId node(0);
  const devices::Claim claims[] = {claim_for(1), claim_for(2), claim_for(4)};
  int64_t counted = 0;
  int64_t with_moves = 0;
  for (int round = 0; round < 6; ++round) {
    DeviceLedger ledger(hall.map());
    ledger.set_budget({100'000, 20'000});
    std::vector<Held> held;
    for (int step = 0; step < 20; ++step) {
      if (!held.empty() && random.below(3) == 0) {
        size_t gone = random.below(static_cast<uint32_t>(held.size()));
        ledger.remove(held[gone].ids, node);
        held.erase(held.begin() + static_cast<ptrdiff_t>(gone));
      }
      std::string before = ledger.state_of(node);
      for (const devices::Claim& claim : claims) {
        DeviceLedger::Asked asked{&claim};
        int64_t size = int64_t{1} << (&claim - claims);
        int64_t room = room_for(size, held);
        EXPECT_EQ(ledger.count({&asked, 1}, node, 20), room) << "round " << round;
        EXPECT_EQ(ledger.count({&asked, 1}, node, 1), room > 0 ? 1 : 0);
        EXPECT_EQ(ledger.state_of(node), before);
        counted += room;
      }
      uint64_t kind = random.below(3);
      DeviceLedger::Asked asked{&claims[kind]};
      Held next{int64_t{1} << kind, {}};
      if (room_for(next.size, held) == 0) continue;
      ASSERT_TRUE(ledger.add({&asked, 1}, node, next.ids));
      DeviceLedger again(hall.map());
      again.set_budget({100'000, 20'000});
      held.push_back(std::move(next));
      for (const Held& one : held) {
        DeviceLedger::Asked each{&claims[one.size / 2]};
        std::vector<DeviceLedger::ClaimId> ids;
        EXPECT_TRUE(again.add({&each, 1}, node, ids));
      }
      with_moves += again.state_of(node) != ledger.state_of(node) ? 1 : 0;
    }
  }
  EXPECT_GT(counted, 300);
  EXPECT_GT(with_moves, 10);
}

}  // namespace
}  // namespace trellis::device_ledger_test
