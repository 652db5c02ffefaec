// Every assignment of volumes and pools to waiting claims, spelled out, against the one that is
// kept.
#include "plugins/volumes/claim_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/node_values.h"
#include "framework/vocabulary.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::claim_match_test {
namespace {

constexpr uint32_t kNodes = 4;

enum class Storages { Any, Pools };

// Nodes n0..n3, two in each zone, with volumes that a node, a zone or every node can use, and pools
// of a node or a zone.
class StorageWorld {
 public:
  StorageWorld(Random& random, Storages storages)
      : random_(random), storages_(storages), alike_(random.below(4) == 0), values_(nodes_) {
    for (size_t i = 0; i < kNodes; ++i) {
      Node node;
      node.name = "n" + std::to_string(i);
      node.labels = {{id("machine"), id(node.name)}, {id("zone"), id("z" + std::to_string(i / 2))}};
      std::ranges::sort(node.labels);
      nodes_.push_back(std::move(node));
    }
    size_t volumes = random_.below(storages_ == Storages::Pools ? 2 : 6);
    for (size_t i = 0; i < volumes; ++i) add_volume("v" + std::to_string(i));
    size_t pools = storages_ == Storages::Pools ? 3 : random_.below(4);
    for (size_t i = 0; i < pools; ++i) add_pool("p" + std::to_string(i));
    storage_.epoch = 1;
    view_.vocabulary = &vocabulary_;
    view_.nodes = &nodes_;
    view_.node_values = &values_;
    view_.storage = &storage_;
    stock_.refresh(view_);
  }

  WaitingClaim claim() {
    WaitingClaim claim;
    claim.need.storage_class = id("class");
    claim.need.bytes = 1 + static_cast<int64_t>(random_.below(largest()));
    if (random_.below(4) == 0) claim.need.block = true;
    if (alike_) claim.need.bytes = 2;
    if (storages_ == Storages::Pools) {
      claim.made = Provisioning{.driver = id("driver"), .nodes = {}, .by_pool = true};
      return claim;
    }
    if (random_.below(6) == 0) {
      SelectorTerm zone{{{id("zone"), SelectorOp::In, {id("z0")}}}, {}};
      claim.made = Provisioning{.driver = id("driver"), .nodes = {zone}};
    } else if (random_.below(2) == 0) {
      claim.made = Provisioning{.driver = id("driver"), .nodes = {}, .by_pool = true};
    }
    return claim;
  }

  const View& view() const { return view_; }
  const StorageStock& stock() const { return stock_; }

  bool may_have(const WaitingClaim& claim, NodeId node, uint32_t volume) const {
    return suits(claim.need, stock_.volume(volume), vocabulary_.strings) &&
           stock_.can_use(node, volume);
  }
  bool may_be_made(const WaitingClaim& claim, NodeId node) const {
    return claim.made && !claim.made->by_pool && may_make(claim, nodes_[node], vocabulary_.strings);
  }
  bool may_be_made_in(const WaitingClaim& claim, NodeId node, uint32_t pool) const {
    const StoragePool& of = stock_.pool(pool);
    return claim.made && claim.made->by_pool &&
           std::ranges::binary_search(stock_.stock(node).pools, pool) &&
           claim.need.bytes <= of.most_bytes.value_or(*of.bytes);
  }

 private:
  StrId id(const std::string& text) { return vocabulary_.strings.intern(text); }

  uint32_t largest() const { return storages_ == Storages::Pools ? 7 : 3; }

  // Of a machine or of a zone.
  Requirement somewhere() {
    uint32_t zones = storages_ == Storages::Pools ? 3 : 1;
    std::string key = random_.below(1 + zones) == 0 ? "machine" : "zone";
    std::string value = key == "machine" ? "n" + std::to_string(random_.below(kNodes))
                                         : "z" + std::to_string(random_.below(2));
    return {id(key), SelectorOp::In, {id(value)}};
  }

  void add_pool(const std::string& name) {
    StoragePool pool;
    pool.name = name;
    pool.storage_class = id("class");
    pool.nodes = {somewhere()};
    pool.bytes = 2 + static_cast<int64_t>(random_.below(2 * largest()));
    if (random_.below(4) == 0) pool.most_bytes = 1 + static_cast<int64_t>(random_.below(3));
    storage_.pools.emplace(name, std::move(pool));
  }

  void add_volume(const std::string& name) {
    Volume volume;
    volume.name = name;
    volume.is.storage_class = id("class");
    volume.is.bytes = 1 + static_cast<int64_t>(random_.below(largest()));
    volume.is.block = random_.below(4) == 0;
    if (random_.below(5) > 0) volume.nodes = {{{{somewhere()}, {}}}};
    storage_.volumes.emplace(name, std::move(volume));
  }

  Random& random_;
  Storages storages_;
  bool alike_;  // claims are of one size
  Vocabulary vocabulary_;
  IndexedVector<NodeId, Node> nodes_;
  NodeValues values_;
  Storage storage_;
  StorageStock stock_;
  View view_;
};

struct Placed {
  WaitingClaim claim;
  NodeId node;
  ClaimMatch::ClaimantId id = ClaimMatch::kNone;
  std::optional<uint32_t> volume;  // that it must have; kNone: one is made
};

// A volume, then a pool, then neither.
bool may_be_at(const StorageWorld& world, const Placed& placed, uint32_t place) {
  auto volumes = static_cast<uint32_t>(world.stock().volumes());
  auto pools = static_cast<uint32_t>(world.stock().pools());
  if (placed.volume && *placed.volume != (place < volumes ? place : ClaimMatch::kNone))
    return false;
  if (place < volumes) return world.may_have(placed.claim, placed.node, place);
  if (place == volumes + pools) return world.may_be_made(placed.claim, placed.node);
  return world.may_be_made_in(placed.claim, placed.node, place - volumes);
}

// Whether all have a place together; by trying everything.
bool all_find_places(const StorageWorld& world, const std::vector<const Placed*>& claims) {
  std::vector<uint32_t> choice(claims.size(), 0);
  size_t volumes = world.stock().volumes();
  size_t last = volumes + world.stock().pools();
  auto works = [&] {
    std::vector<int64_t> taken(last + 1, 0);
    for (size_t i = 0; i < claims.size(); ++i) {
      uint32_t place = choice[i];
      if (!may_be_at(world, *claims[i], place)) return false;
      taken[place] += place < volumes ? 1 : claims[i]->claim.need.bytes;
      if (place < volumes && taken[place] > 1) return false;
      bool in_pool = place >= volumes && place < last;
      if (in_pool &&
          taken[place] > *world.stock().pool(static_cast<uint32_t>(place - volumes)).bytes) {
        return false;
      }
    }
    return true;
  };
  while (true) {
    if (works()) return true;
    size_t digit = 0;
    while (digit < choice.size() && choice[digit] == last) choice[digit++] = 0;
    if (digit == choice.size()) return false;
    ++choice[digit];
  }
}

std::vector<const Placed*> pointers(const std::vector<Placed>& claims) {
  std::vector<const Placed*> all;
  for (const Placed& placed : claims) all.push_back(&placed);
  return all;
}

// Each in turn has the smallest volume with which the later ones find theirs.
void check_choices(const StorageWorld& world, const ClaimMatch& match, std::vector<Placed> claims) {
  for (Placed& placed : claims) {
    std::vector<uint32_t> volumes;
    for (uint32_t i = 0; i < world.stock().volumes(); ++i) volumes.push_back(i);
    std::ranges::stable_sort(volumes, {},
                             [&](uint32_t i) { return world.stock().volume(i).is.bytes; });
    volumes.push_back(ClaimMatch::kNone);
    for (uint32_t volume : volumes) {
      placed.volume = volume;
      if (all_find_places(world, pointers(claims))) break;
    }
    ASSERT_EQ(match.volume(placed.id), *placed.volume);
  }
}

void run(uint64_t seed, Storages storages) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  StorageWorld world(random, storages);
  ClaimMatch match(world.view(), world.stock());
  std::vector<std::unique_ptr<WaitingClaim>> kept;
  std::vector<Placed> claims;
  for (int step = 0; step < (storages == Storages::Pools ? 24 : 12); ++step) {
    if (!claims.empty() && random.below(4) == 0) {
      size_t gone = random.below(static_cast<uint32_t>(claims.size()));
      match.remove(claims[gone].id, claims[gone].node);
      claims.erase(claims.begin() + static_cast<std::ptrdiff_t>(gone));
      continue;
    }
    if (claims.size() == (storages == Storages::Pools ? 6 : 5)) continue;
    kept.push_back(std::make_unique<WaitingClaim>(world.claim()));
    Placed fresh{*kept.back(), NodeId(random.below(kNodes)), ClaimMatch::kNone, std::nullopt};
    std::vector<const Placed*> all = pointers(claims);
    all.push_back(&fresh);
    bool fits = match.add(*kept.back(), fresh.node, fresh.id) == ReasonCode::None;
    ASSERT_EQ(fits, all_find_places(world, all)) << "step " << step;
    if (fits) claims.push_back(fresh);
  }
  std::vector<ClaimMatch::ClaimantId> order;
  for (const Placed& placed : claims) order.push_back(placed.id);
  match.settle(order);
  check_choices(world, match, claims);
}

void run_all(uint64_t seeds, Storages storages) {
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    run(seed, storages);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ClaimMatch, MatchesTryingEveryAssignment) { run_all(long_run(300, 5'000), Storages::Any); }

// Claims of many sizes in few pools.
TEST(ClaimMatch, MatchesTryingEveryPacking) { run_all(long_run(300, 5'000), Storages::Pools); }

}  // namespace
}  // namespace trellis::claim_match_test
