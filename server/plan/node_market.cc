#include "server/plan/node_market.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "framework/topology.h"

namespace trellis {
namespace {

void set_label(Labels& labels, StrId key, StrId value) {
  auto at = std::lower_bound(labels.begin(), labels.end(), key,
                             [](const Label& label, StrId k) { return label.key < k; });
  if (at == labels.end() || at->key != key) at = labels.insert(at, Label{key, value});
  at->value = value;
}

// The places of a cluster, each as the values of the labels in keys_.
class Places {
 public:
  using Values = std::vector<StrId>;  // kNone: nodes there lack the label

  struct Place {
    Values values;
    std::vector<bool> made;  // by key: no node has this value there yet
    bool makes_domain() const { return std::ranges::count(made, true) > 0; }
  };

  Places(std::span<const StrId> asked, Cluster& cluster)
      : cluster_(cluster), strings_(cluster.vocabulary().strings) {
    choose_levels(asked);
    read_nodes();
    add_new();
  }

  const std::vector<Place>& all() const { return places_; }

  // The place for nodes of a shape that has labels of levels itself; false: it has others.
  bool fit(const Labels& labels, Place& place) const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      StrId own = find_label(labels, keys_[i]);
      if (!own.valid() || own == place.values[i]) continue;
      if (!place.made[i]) return false;
      place.values[i] = own;
    }
    return true;
  }

  Labels labels(const Labels& own, const Place& place) const {
    Labels labels = own;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (place.values[i].valid()) set_label(labels, keys_[i], place.values[i]);
    }
    for (StrId key : below_) {
      if (!find_label(labels, key).valid()) set_label(labels, key, new_value(key));
    }
    return labels;
  }

  std::string text(const Place& place) const {
    std::string text;
    for (const Chosen& chosen : chosen_) {
      std::string path = chosen.topology->name;
      for (size_t i = 0; i < chosen.depth; ++i) {
        StrId value = place.values[chosen.keys[i]];
        if (value.valid()) path.append("/").append(strings_.view(value));
      }
      if (!text.empty()) text += ", ";
      text += path;
    }
    return text;
  }

 private:
  // A topology that is asked about, down to a depth.
  struct Chosen {
    const Topology* topology = nullptr;
    size_t depth = 0;
    std::vector<size_t> keys;  // of its levels, in keys_
  };

  static bool holds(std::span<const StrId> asked, StrId key) {
    return std::ranges::find(asked, key) != asked.end();
  }

  size_t key_index(StrId key) {
    auto found = std::ranges::find(keys_, key);
    if (found == keys_.end()) found = keys_.insert(keys_.end(), key);
    return static_cast<size_t>(found - keys_.begin());
  }

  void choose_levels(std::span<const StrId> asked) {
    std::vector<const Topology*> topologies;
    for (uint32_t i = 0; i < cluster_.topologies().size(); ++i) {
      if (cluster_.alive(TopologyId(i)))
        topologies.push_back(&cluster_.topologies()[TopologyId(i)]);
    }
    std::ranges::sort(topologies, {}, [](const Topology* topology) { return topology->name; });
    for (const Topology* topology : topologies) {
      Chosen chosen{.topology = topology};
      std::vector<StrId> labels;
      for (const TopologyLevel& level : topology->levels) {
        if (strings_.view(level.label) == kHostname) break;
        labels.push_back(level.label);
        if (holds(asked, level.label)) chosen.depth = labels.size();
      }
      for (size_t i = 0; i < labels.size(); ++i) {
        if (i < chosen.depth) {
          chosen.keys.push_back(key_index(labels[i]));
        } else {
          below_.push_back(labels[i]);
        }
      }
      if (chosen.depth > 0) chosen_.push_back(std::move(chosen));
    }
    std::erase_if(below_, [&](StrId key) { return holds(keys_, key); });
  }

  void read_nodes() {
    for (NodeId id : cluster_.nodes_by_name()) {
      const Node& node = cluster_.nodes()[id];
      for (StrId key : keys_) used_[key].insert(find_label(node.labels, key));
      for (StrId key : below_) used_[key].insert(find_label(node.labels, key));
      Values values;
      for (StrId key : keys_) values.push_back(find_label(node.labels, key));
      bool any = std::ranges::any_of(values, [](StrId value) { return value.valid(); });
      if (any && known_.insert(text_of(values)).second) {
        places_.push_back({std::move(values), std::vector<bool>(keys_.size())});
      }
    }
    std::ranges::sort(places_, {}, [this](const Place& place) { return text_of(place.values); });
  }

  std::vector<std::string> text_of(const Values& values) const {
    std::vector<std::string> texts;
    for (StrId value : values) texts.emplace_back(value.valid() ? strings_.view(value) : "");
    return texts;
  }

  // A value that no node has.
  StrId new_value(StrId key) const {
    auto used = used_.find(key);
    std::string value = "new";
    for (int number = 2;; ++number) {
      StrId id = strings_.intern(value);
      if (used == used_.end() || !used->second.contains(id)) return id;
      value = "new-" + std::to_string(number);
    }
  }

  // A new domain of each level below each domain that is there.
  void add_new() {
    std::vector<Place> there = places_;
    Place fresh{Values(keys_.size()), std::vector<bool>(keys_.size(), true)};
    for (size_t i = 0; i < keys_.size(); ++i) fresh.values[i] = new_value(keys_[i]);
    for (const Place& place : there) {
      for (const Chosen& chosen : chosen_) {
        for (size_t depth = chosen.depth - 1; depth > 0; --depth) {
          Place below = place;
          for (size_t i = depth; i < chosen.depth; ++i) {
            size_t key = chosen.keys[i];
            below.values[key] = fresh.values[key];
            below.made[key] = true;
          }
          if (known_.insert(text_of(below.values)).second) places_.push_back(std::move(below));
        }
      }
    }
    places_.push_back(std::move(fresh));
  }

  Cluster& cluster_;
  StringTable& strings_;
  std::vector<Chosen> chosen_;
  std::vector<StrId> keys_;                // asked about
  std::vector<StrId> below_;               // of the levels below these
  std::map<StrId, std::set<StrId>> used_;  // values by key; never iterated
  std::set<std::vector<std::string>> known_;
  std::vector<Place> places_;
};

}  // namespace

int64_t price_of(const NodeMarket& market, const NodeCounts& counts) {
  int64_t sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    sum = add_to_sum(sum, saturating_product(counts[i], market.price_of(i)));
  }
  return sum;
}

int64_t sum_of(const NodeCounts& counts) {
  int64_t sum = 0;
  for (int64_t count : counts) sum += count;
  return sum;
}

bool within_limits(const NodeMarket& market, const NodeCounts& counts) {
  std::vector<int64_t> bought(market.shapes.size());
  for (size_t i = 0; i < counts.size(); ++i) bought[market.offers[i].shape] += counts[i];
  for (size_t i = 0; i < bought.size(); ++i) {
    if (bought[i] > market.shapes[i].most) return false;
  }
  return true;
}

ResourceList daemon_requests(const NodeMarket& market, uint32_t shape) {
  ResourceList most;
  for (const NodeOffer& offer : market.offers) {
    if (offer.shape != shape) continue;
    ResourceList taken;
    for (const ResourceAmount& all : market.shapes[shape].node.allocatable.items()) {
      taken.set(all.resource, all.amount - offer.allocatable.get(all.resource));
    }
    most.raise_to(taken);
  }
  return most;
}

NodeMarket make_market(std::vector<NodeShape> shapes, std::span<const StrId> asked,
                       Cluster& cluster) {
  NodeMarket market{.shapes = std::move(shapes)};
  Places places(asked, cluster);
  std::set<std::pair<uint32_t, std::string>> known;
  for (const Places::Place& any : places.all()) {
    for (uint32_t i = 0; i < market.shapes.size(); ++i) {
      const Labels& own = market.shapes[i].node.labels;
      Places::Place place = any;
      if (!places.fit(own, place)) continue;
      std::string text = places.text(place);
      if (!known.emplace(i, text).second) continue;
      market.offers.push_back({.shape = i,
                               .labels = places.labels(own, place),
                               .allocatable = market.shapes[i].node.allocatable,
                               .place = std::move(text),
                               .makes_domain = place.makes_domain()});
    }
  }
  return market;
}

}  // namespace trellis
