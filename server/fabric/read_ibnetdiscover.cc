// What `ibnetdiscover` prints: every switch with its ports, and what hangs on each.
//
// A node has an adapter at several leaf switches ("rails"), so the leaf switches that nodes have in
// common are one domain; so are, a tier higher, the leaf domains that spine switches connect.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/document/document.h"
#include "server/fabric/fabric_reader.h"

namespace trellis {
namespace {

struct IbSwitch {
  std::string guid;
  std::string name;
  std::set<std::string> neighbours;  // switches, by guid
  std::set<std::string> nodes;
  int32_t tier = 0;  // 1: nodes hang on it
};

std::string_view between_quotes(std::string_view text, size_t from, size_t& end) {
  size_t open = text.find('"', from);
  size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
  end = close;
  return close == std::string_view::npos ? std::string_view()
                                         : text.substr(open + 1, close - open - 1);
}

// "MF0;A10-P1-IBSPINE-02:MQM9701/U1" is A10-P1-IBSPINE-02.
std::string switch_name(std::string_view description, std::string_view guid) {
  size_t semicolon = description.find(';');
  if (semicolon == std::string_view::npos) return std::string(guid);
  description.remove_prefix(semicolon + 1);
  return std::string(description.substr(0, description.find(':')));
}

// "a08-p1-dgx-04-c01 mlx5_5" is an adapter of a08-p1-dgx-04-c01; "": the node is not named.
std::string node_name(std::string_view description) {
  size_t space = description.rfind(' ');
  if (space == std::string_view::npos) return "";
  std::string_view adapter = description.substr(space + 1);
  std::string_view node = description.substr(0, space);
  bool named = adapter.starts_with("HCA-") || adapter.starts_with("mlx");
  bool plain = node.find(' ') == std::string_view::npos && node != "localhost";
  return named && plain ? std::string(node) : "";
}

class IbReader {
 public:
  explicit IbReader(const FabricText& text) : text_(text), fabric_(text.file, text.diagnostics) {}

  Fabric read() {
    std::string_view rest = text_.text;
    for (int64_t number = 1; !rest.empty(); ++number) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      read_line(line, number);
    }
    if (!nameless_.empty()) {
      fabric_.note(std::to_string(nameless_.size()) +
                   (nameless_.size() == 1 ? " adapter names" : " adapters name") +
                   " no node and count for none");
    }
    find_tiers();
    join_domains();
    return fabric_.finish("", FabricBuilder::LoneSwitches::Allowed);
  }

 private:
  void read_line(std::string_view line, int64_t number) {
    if (line.starts_with("Switch") || line.starts_with("Ca") || line.starts_with("Rt")) {
      current_ = nullptr;
      size_t end = 0;
      std::string_view guid = between_quotes(line, 0, end);
      std::string_view what = between_quotes(line, end + 1, end);
      if (guid.empty() || what.empty()) return report(line, number);
      if (line.starts_with("Switch")) {
        current_ = &switches_[std::string(guid)];
        current_->guid = guid;
        current_->name = switch_name(what, guid);
      }
    } else if (line.starts_with('[') && current_ != nullptr) {
      size_t end = 0;
      std::string_view guid = between_quotes(line, 0, end);
      if (guid.empty()) return report(line, number);
      std::string_view what = between_quotes(line, end + 1, end);
      if (guid.starts_with("S-")) {
        current_->neighbours.insert(std::string(guid));
      } else if (std::string node = node_name(what); !node.empty()) {
        current_->nodes.insert(std::move(node));
      } else if (what.find("Aggregation Node") == std::string_view::npos) {
        nameless_.insert(std::string(guid));
      }
    }
  }

  void report(std::string_view line, int64_t number) {
    fabric_.error(
        {.line = number},
        {.found = in_quotes(line), .expected = "a line of ibnetdiscover: GUID and name in quotes"});
  }

  // A switch is one tier above the lowest of its neighbours.
  void find_tiers() {
    std::vector<IbSwitch*> tier;
    for (auto& [guid, one] : switches_) {
      if (one.nodes.empty()) continue;
      one.tier = 1;
      tier.push_back(&one);
    }
    while (!tier.empty()) {
      std::vector<IbSwitch*> above;
      for (const IbSwitch* one : tier) {
        for (const std::string& guid : one->neighbours) {
          auto found = switches_.find(guid);
          if (found == switches_.end() || found->second.tier != 0) continue;
          found->second.tier = one->tier + 1;
          above.push_back(&found->second);
        }
      }
      if (!above.empty()) tiers_ = above.front()->tier;
      tier = std::move(above);
    }
  }

  // The nodes of one domain have the same root.
  size_t root_of(size_t node) {
    while (roots_[node] != node) node = roots_[node] = roots_[roots_[node]];
    return node;
  }

  void join(std::optional<size_t>& first, size_t node) {
    if (first) {
      roots_[root_of(node)] = root_of(*first);
    } else {
      first = node;
    }
  }

  void join_domains() {
    std::map<std::string, size_t> numbers;
    for (const auto& [guid, one] : switches_) {
      for (const std::string& node : one.nodes) numbers.emplace(node, numbers.size());
    }
    roots_.resize(numbers.size());
    std::iota(roots_.begin(), roots_.end(), size_t{0});
    std::map<std::string, size_t> below;  // a node below each switch
    std::vector<int32_t> domain_of(numbers.size(), kNoSwitch);
    for (int32_t tier = 1; tier <= tiers_; ++tier) {
      for (const auto& [guid, one] : switches_) {
        if (one.tier != tier) continue;
        std::optional<size_t> first;
        for (const std::string& node : one.nodes) join(first, numbers[node]);
        for (const std::string& neighbour : one.neighbours) {
          auto found = below.find(neighbour);
          if (found != below.end() && switches_.at(neighbour).tier < tier)
            join(first, found->second);
        }
        if (first) below[guid] = *first;
      }
      add_tier(tier, numbers, below, domain_of);
    }
  }

  void add_tier(int32_t tier, const std::map<std::string, size_t>& numbers,
                const std::map<std::string, size_t>& below, std::vector<int32_t>& domain_of) {
    // A domain bears the name of its first switch of the tier.
    std::map<size_t, std::string> names;
    for (const auto& [guid, one] : switches_) {
      if (one.tier != tier || !below.contains(guid)) continue;
      auto [found, added] = names.emplace(root_of(below.at(guid)), one.name);
      if (!added) found->second = std::min(found->second, one.name);
    }
    for (const auto& [node, number] : numbers) {
      auto name = names.find(root_of(number));
      if (name == names.end()) continue;
      int32_t domain = fabric_.mention(name->second, {});
      if (tier == 1) {
        fabric_.attach(node, domain, {});
      } else {
        fabric_.connect(domain, domain_of[number], {});
      }
      domain_of[number] = domain;
    }
  }

  const FabricText& text_;
  FabricBuilder fabric_;
  std::map<std::string, IbSwitch> switches_;  // by guid
  std::set<std::string> nameless_;
  IbSwitch* current_ = nullptr;
  int32_t tiers_ = 1;
  std::vector<size_t> roots_;
};

}  // namespace

Fabric read_ibnetdiscover(const FabricText& text) { return IbReader(text).read(); }

}  // namespace trellis
