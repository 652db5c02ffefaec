#include "server/kueue/pod_slots.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <system_error>

namespace trellis {
namespace {

// Finds a domain by the labels of what stands there.
class DomainFinder {
 public:
  explicit DomainFinder(const TopologyAssignment& assignment) : assignment_(assignment) {
    order_.resize(assignment.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) {
      return std::ranges::lexicographical_compare(path(a), path(b));
    });
  }

  int32_t find(const PodOfSet& pod) const {
    std::vector<StrId> wanted;
    for (StrId level : assignment_.levels) {
      StrId value = find_label(pod.node_selector, level);
      wanted.push_back(value.valid() ? value : find_label(pod.node_labels, level));
    }
    auto found = std::lower_bound(
        order_.begin(), order_.end(), wanted, [&](int32_t domain, const std::vector<StrId>& value) {
          return std::ranges::lexicographical_compare(path(domain), value);
        });
    bool same = found != order_.end() && std::ranges::equal(path(*found), wanted);
    return same ? *found : kNoDomain;
  }

 private:
  std::span<const StrId> path(int32_t domain) const {
    size_t levels = assignment_.levels.size();
    return std::span(assignment_.values).subspan(domain * levels, levels);
  }

  const TopologyAssignment& assignment_;
  std::vector<int32_t> order_;  // domains by the ids of their path
};

// A label's value as a number from 0; kNoRank when it is none.
int32_t number_of(const PodOfSet& pod, StrId label, const StringTable& strings) {
  StrId value = label.valid() ? find_label(pod.labels, label) : StrId();
  if (!value.valid()) return kNoRank;
  std::string_view text = strings.view(value);
  int32_t number = 0;
  auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = fault == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? number : kNoRank;
}

class Sent {
 public:
  explicit Sent(std::span<const SentUngating> sent) : sent_(sent.begin(), sent.end()) {
    std::ranges::sort(sent_, {}, &SentUngating::uid);
    met_.resize(sent_.size());
  }

  // Where a pod was sent to. Those that no pod asks for are `strangers`.
  int32_t domain_of(std::string_view uid) {
    auto found = std::ranges::lower_bound(sent_, uid, {}, &SentUngating::uid);
    if (found == sent_.end() || found->uid != uid) return kNoDomain;
    met_[static_cast<size_t>(found - sent_.begin())] = true;
    return found->domain;
  }

  void count_strangers(std::vector<SlotDomain>& domains) const {
    for (size_t i = 0; i < sent_.size(); ++i) {
      if (!met_[i] && sent_[i].domain != kNoDomain) ++domains[sent_[i].domain].taken;
    }
  }

 private:
  std::vector<SentUngating> sent_;
  std::vector<bool> met_;
};

// By uid: the answer does not depend on the order in which pods are listed.
std::vector<size_t> by_uid(std::span<const PodOfSet> pods) {
  std::vector<size_t> order(pods.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return pods[i].uid; });
  return order;
}

}  // namespace

std::vector<int32_t> slots_of_pods(const PodSetSlots& set, std::span<const PodOfSet> pods,
                                   std::span<const SentUngating> sent, const StringTable& strings) {
  const TopologyRequest& request = set.request;
  bool parted = request.sub_group_label.valid();
  RankRule rule{.pods = set.pods,
                .offset = set.leaders + set.index_offset,
                .sub_groups = parted ? request.sub_groups : 0};
  std::vector<size_t> order = by_uid(pods);
  Sent on_the_way(sent);
  DomainFinder finder(set.assignment);
  std::vector<SlotPod> asking;
  asking.reserve(pods.size());
  for (size_t i : order) {
    const PodOfSet& pod = pods[i];
    int32_t sent_to = on_the_way.domain_of(pod.uid);
    bool waits = pod.gated && sent_to == kNoDomain;
    int32_t held = pod.gated ? sent_to : finder.find(pod);
    int32_t rank = rank_of(rule, number_of(pod, request.index_label, strings),
                           number_of(pod, request.sub_group_label, strings));
    asking.push_back({.rank = rank, .waits = waits, .domain = held});
  }

  std::vector<SlotDomain> domains;
  domains.reserve(set.assignment.size());
  for (int32_t count : set.assignment.counts) domains.push_back({.slots = count});
  for (int32_t domain : set.closed) domains[domain].closed = true;
  on_the_way.count_strangers(domains);

  std::vector<int32_t> given = assign_slots(domains, asking);
  std::vector<int32_t> result(pods.size(), kNoDomain);
  for (size_t i = 0; i < order.size(); ++i) result[order[i]] = given[i];
  return result;
}

}  // namespace trellis
