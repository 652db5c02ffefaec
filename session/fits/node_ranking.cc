#include "session/fits/node_ranking.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <bit>

namespace trellis {

void NodeRanking::build(std::span<const double> scores) {
  size_t leaves = std::bit_ceil(scores.size() < 2 ? size_t{2} : scores.size());
  scores_.assign(leaves, kUnfit);
  std::copy(scores.begin(), scores.end(), scores_.begin());
  winners_.resize(leaves);
  for (size_t at = leaves / 2; at < leaves; ++at) {
    uint32_t left = static_cast<uint32_t>(2 * at - leaves);
    winners_[at] = better(left, left + 1);
  }
  for (size_t at = leaves / 2; at-- > 1;)
    winners_[at] = better(winners_[2 * at], winners_[2 * at + 1]);
}

void NodeRanking::update(uint32_t position, double score) {
  scores_[position] = score;
  size_t leaves = scores_.size();
  size_t at = (leaves + position) / 2;
  uint32_t left = position & ~1U;
  uint32_t winner = better(left, left + 1);
  while (true) {
    // Above a match that another position had won and wins again, nothing changes.
    if (winners_[at] == winner && winner != position) return;
    winners_[at] = winner;
    if (at == 1) return;
    at /= 2;
    winner = better(winners_[2 * at], winners_[2 * at + 1]);
  }
}

uint32_t NodeRanking::best() const {
  if (winners_.size() < 2) return kNone;
  uint32_t winner = winners_[1];
  return scores_[winner] == kUnfit ? kNone : winner;
}

void LinkedRanking::form_groups(const NodeValues& values, std::span<const StrId> keys,
                                std::span<const NodeId> nodes) {
  group_of_.assign(nodes.size(), 0);
  uint32_t count = nodes.empty() ? 0 : 1;
  for (StrId key : keys) {
    const KeyValues& known = values.of(key);
    absl::flat_hash_map<uint64_t, uint32_t> numbers;  // by old group and value
    for (size_t i = 0; i < nodes.size(); ++i) {
      uint64_t value = static_cast<uint32_t>(known.of_node[nodes[i]]);
      uint64_t pair = (uint64_t{group_of_[i]} << 32) | value;
      group_of_[i] = numbers.try_emplace(pair, static_cast<uint32_t>(numbers.size())).first->second;
    }
    count = static_cast<uint32_t>(numbers.size());
  }
  groups_.clear();
  groups_.resize(count);
  for (uint32_t group : group_of_) ++groups_[group].size;
  uint32_t first = 0;
  for (Group& group : groups_) {
    group.first = first;
    first += group.size;
    group.size = 0;
  }
  members_.resize(nodes.size());
  member_.resize(nodes.size());
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    Group& group = groups_[group_of_[i]];
    member_[i] = group.first + group.size++;
    members_[member_[i]] = i;
  }
}

void LinkedRanking::build(const NodeValues& values, std::span<const StrId> keys,
                          std::span<const NodeId> nodes, std::span<const double> scores,
                          std::span<const int32_t> fits) {
  form_groups(values, keys, nodes);
  scores_.resize(nodes.size());
  fits_.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    scores_[member_[i]] = scores[i];
    fits_[member_[i]] = std::max(fits[i], 0);
  }
  for (Group& group : groups_) {
    group.fit = 0;
    for (uint32_t i = 0; i < group.size; ++i) group.fit += fits_[group.first + i];
    if (group.size == 1) continue;
    group.ranking = std::make_unique<NodeRanking>();
    group.ranking->build(std::span(scores_).subspan(group.first, group.size));
  }
  bonus_.assign(groups_.size(), 0.0);
  rank_groups();
}

std::span<const uint32_t> LinkedRanking::members(uint32_t group) const {
  return std::span(members_).subspan(groups_[group].first, groups_[group].size);
}

uint32_t LinkedRanking::best_in(uint32_t id) const {
  const Group& group = groups_[id];
  uint32_t index = 0;
  if (group.ranking) {
    index = group.ranking->best();
    if (index == NodeRanking::kNone) return kNone;
  } else if (scores_[group.first] == NodeRanking::kUnfit) {
    return kNone;
  }
  return members_[group.first + index];
}

double LinkedRanking::best_score(uint32_t group) const {
  uint32_t position = best_in(group);
  return position == kNone ? NodeRanking::kUnfit : scores_[member_[position]];
}

uint32_t LinkedRanking::better(uint32_t a, uint32_t b) const {
  if (value_[a] != value_[b]) return value_[a] > value_[b] ? a : b;
  return best_[a] <= best_[b] ? a : b;
}

void LinkedRanking::rank_groups() {
  size_t leaves = std::bit_ceil(groups_.size() < 2 ? size_t{2} : groups_.size());
  value_.assign(leaves, NodeRanking::kUnfit);
  best_.assign(leaves, kNone);
  winners_.resize(leaves);
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    value_[i] = best_score(i) + bonus_[i];
    best_[i] = best_in(i);
  }
  for (size_t at = leaves; at-- > 1;) {
    bool bottom = 2 * at >= leaves;
    uint32_t left = bottom ? static_cast<uint32_t>(2 * at - leaves) : winners_[2 * at];
    uint32_t right = bottom ? left + 1 : winners_[2 * at + 1];
    winners_[at] = better(left, right);
  }
}

void LinkedRanking::refresh(uint32_t group) {
  value_[group] = best_score(group) + bonus_[group];
  best_[group] = best_in(group);
  size_t leaves = value_.size();
  size_t at = (leaves + group) / 2;
  winners_[at] = better(group & ~1U, group | 1U);
  for (at /= 2; at >= 1; at /= 2) winners_[at] = better(winners_[2 * at], winners_[2 * at + 1]);
}

void LinkedRanking::update(uint32_t position, double score, int32_t fit) {
  uint32_t member = member_[position];
  uint32_t id = group_of_[position];
  Group& group = groups_[id];
  group.fit += std::max(fit, 0) - fits_[member];
  fits_[member] = std::max(fit, 0);
  scores_[member] = score;
  if (group.ranking) group.ranking->update(member - group.first, score);
  refresh(id);
}

uint32_t LinkedRanking::best_group() const {
  if (groups_.empty()) return kNone;
  uint32_t winner = winners_[1];
  return value_[winner] == NodeRanking::kUnfit ? kNone : winner;
}

bool LinkedRanking::same_order(const LinkedRanking& other) const {
  return scores_ == other.scores_ && fits_ == other.fits_ && bonus_ == other.bonus_ &&
         value_ == other.value_ && best_ == other.best_ && winners_ == other.winners_;
}

void LinkedRanking::set_bonus(uint32_t group, double bonus) {
  bonus_[group] = bonus;
  refresh(group);
}

void LinkedRanking::set_bonuses(std::span<const double> bonuses) {
  bonus_.assign(bonuses.begin(), bonuses.end());
  rank_groups();
}

}  // namespace trellis
