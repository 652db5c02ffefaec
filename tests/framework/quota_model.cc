#include "tests/framework/quota_model.h"

#include <algorithm>
#include <limits>
#include <set>

namespace trellis {

bool QuotaModel::in_tree(const std::string& name) const {
  std::set<std::string> seen;
  for (std::string at = name; !at.empty(); at = nodes.at(at).parent) {
    if (!seen.insert(at).second) return false;
  }
  return true;
}

QuotaModel::Limits QuotaModel::limits(const std::string& name, const std::string& cell) const {
  const auto& quotas = nodes.at(name).quotas;
  auto found = quotas.find(cell);
  return found == quotas.end() ? Limits() : found->second;
}

std::vector<std::string> QuotaModel::children(const std::string& name) const {
  std::vector<std::string> found;
  for (const auto& [child, node] : nodes) {
    if (node.parent == name) found.push_back(child);
  }
  return found;
}

int64_t QuotaModel::subtree_quota(const std::string& name, const std::string& cell) const {
  int64_t sum = limits(name, cell).nominal;
  for (const std::string& child : children(name)) {
    sum += subtree_quota(child, cell) - local_quota(child, cell);
  }
  return sum;
}

int64_t QuotaModel::local_quota(const std::string& name, const std::string& cell) const {
  auto lending = limits(name, cell).lending;
  return lending ? std::max<int64_t>(0, subtree_quota(name, cell) - *lending) : 0;
}

int64_t QuotaModel::usage(const std::string& name, const std::string& cell) const {
  const Node& node = nodes.at(name);
  if (node.is_queue) {
    auto found = node.held.find(cell);
    return found == node.held.end() ? 0 : found->second;
  }
  int64_t sum = 0;
  for (const std::string& child : children(name)) {
    sum += std::max<int64_t>(0, usage(child, cell) - local_quota(child, cell));
  }
  return sum;
}

int64_t QuotaModel::free_local(const std::string& name, const std::string& cell) const {
  return std::max<int64_t>(0, local_quota(name, cell) - usage(name, cell));
}

int64_t QuotaModel::available(const std::string& name, const std::string& cell) const {
  const Node& node = nodes.at(name);
  int64_t found = 0;
  if (node.parent.empty()) {
    found = subtree_quota(name, cell) - usage(name, cell);
  } else {
    int64_t from_parent = available(node.parent, cell);
    if (auto limit = limits(name, cell).borrowing) {
      int64_t stored = subtree_quota(name, cell) - local_quota(name, cell);
      int64_t used = std::max<int64_t>(0, usage(name, cell) - local_quota(name, cell));
      from_parent = std::min(from_parent, stored - used + *limit);
    }
    found = free_local(name, cell) + from_parent;
  }
  return node.is_queue ? std::max<int64_t>(0, found) : found;
}

int64_t QuotaModel::potential(const std::string& name, const std::string& cell) const {
  const Node& node = nodes.at(name);
  if (node.parent.empty()) return subtree_quota(name, cell);
  int64_t found = local_quota(name, cell) + potential(node.parent, cell);
  if (auto limit = limits(name, cell).borrowing) {
    found = std::min(found, subtree_quota(name, cell) + *limit);
  }
  return found;
}

int QuotaModel::height(const std::string& name) const {
  int highest = 0;
  for (const std::string& child : children(name)) highest = std::max(highest, height(child) + 1);
  return highest;
}

QuotaModel::Covering QuotaModel::covering(const std::string& name, const std::string& cell,
                                          int64_t amount) const {
  const Node& node = nodes.at(name);
  bool covers = usage(name, cell) + amount <= subtree_quota(name, cell);
  if (node.parent.empty()) return {height(name), false};
  if (covers) return {height(name), true};
  return covering(node.parent, cell, amount - free_local(name, cell));
}

std::set<std::string> QuotaModel::cells() const {
  std::set<std::string> cells;
  for (const auto& [name, node] : nodes) {
    for (const auto& [cell, limits] : node.quotas) cells.insert(cell);
  }
  return cells;
}

bool QuotaModel::borrows(const std::string& name) const {
  std::set<std::string> all = cells();
  return !nodes.at(name).parent.empty() &&
         std::any_of(all.begin(), all.end(), [&](const std::string& cell) {
           return usage(name, cell) > subtree_quota(name, cell);
         });
}

double QuotaModel::ratio(const std::string& name) const {
  const Node& node = nodes.at(name);
  if (node.parent.empty()) return 0;
  std::map<std::string, int64_t> borrowed;  // by resource
  std::map<std::string, int64_t> lendable;
  for (const std::string& cell : cells()) {
    std::string resource = cell.substr(0, cell.find('/'));
    int64_t above = usage(name, cell) - subtree_quota(name, cell);
    borrowed[resource] += std::max<int64_t>(0, above);
    lendable[resource] += potential(node.parent, cell);
  }
  double highest = 0;
  for (const auto& [resource, amount] : borrowed) {
    if (amount == 0 || lendable[resource] <= 0) continue;
    highest = std::max(
        highest, static_cast<double>(amount) * 1000.0 / static_cast<double>(lendable[resource]));
  }
  return highest;
}

double QuotaModel::share(const std::string& name) const {
  if (!borrows(name)) return 0;
  double weight = nodes.at(name).weight;
  return weight == 0 ? std::numeric_limits<double>::infinity() : ratio(name) / weight;
}

}  // namespace trellis
