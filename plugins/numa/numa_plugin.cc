#include "plugins/numa/numa_plugin.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "plugins/numa/numa_hint.h"
#include "plugins/numa/numa_options.h"
#include "plugins/numa/zone_group.h"
#include "plugins/scores/score_magnitudes.h"
#include "session/snapshot/change_log.h"

namespace trellis {
namespace {

bool asks_for_zones(const NumaUnit& unit, NumaRules rules) {
  return std::any_of(unit.requests.begin(), unit.requests.end(), [rules](const NumaRequest& one) {
    return one.amount > 0 && (one.bound || rules == NumaRules::Upstream);
  });
}

std::string hex(uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; value >>= 4) text[i] = kDigits[value & 0xf];
  return text;
}

// The zones of `set` as a list of ids.
void append_ids(std::string& text, const NumaTopology& topology, ZoneMask set) {
  text += '[';
  for (ZoneMask rest = set; rest != 0; rest &= rest - 1) {
    if (rest != set) text += ',';
    text += std::to_string(topology.zones[static_cast<size_t>(std::countr_zero(rest))].id);
  }
  text += ']';
}

ZoneMask mask_of(const NumaTopology& topology, const std::vector<int64_t>& ids) {
  ZoneMask mask = 0;
  for (size_t zone = 0; zone < topology.zones.size(); ++zone) {
    bool named = std::find(ids.begin(), ids.end(), topology.zones[zone].id) != ids.end();
    if (named) mask |= ZoneMask{1} << zone;
  }
  return mask;
}

// The zones by unit.
std::vector<ZoneMask> sets_of(const ZoneBook& book,
                              const std::vector<std::vector<int64_t>>& zones) {
  bool whole = book.settings.scope == NumaScope::Pod;
  std::vector<ZoneMask> sets;
  for (size_t i = 0; i < (whole ? std::min<size_t>(1, zones.size()) : zones.size()); ++i) {
    sets.push_back(mask_of(*book.report, zones[i]));
  }
  return sets;
}

}  // namespace

void NumaPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  options_ = numa_options(view.config->plugin("numa"), view.vocabulary->resources);
  // Classes have demands only where nodes have zones or pods must share a zone; without demands the
  // plugin registers no point.
  for (; !some_class_asks_ && classes_seen_ < view.pod_classes->size(); ++classes_seen_) {
    some_class_asks_ = static_cast<bool>((*view.pod_classes)[PodClassId(classes_seen_)].demand);
  }
  if (!some_class_asks_) return;
  if (classes_.size() < view.pod_classes->size()) classes_.resize(view.pod_classes->size());
  follow_changes();
  hooks.node_counters.push_back({this, name()});
  double weight = view.config->plugin("numa").weight;
  hooks.node_scorers.push_back({this, name(), weight * kNumaScale});
  hooks.listeners.push_back({this, name()});
  hooks.before_binds.push_back({this, name()});
  hooks.describers.push_back({this, name()});
}

NumaPlugin::Class& NumaPlugin::read_class(PodClassId pod_class) const {
  if (!classes_.contains(pod_class)) classes_.resize(view_->pod_classes->size());
  Class& known = classes_[pod_class];
  if (known.known) return known;
  known.known = true;
  const SharedValue<PodDemand>& demand = (*view_->pod_classes)[pod_class].demand;
  if (!demand) return known;
  known.units = numa_units(*demand, view_->vocabulary->resources, options_.rules);
  known.zone_group = demand->zone_group;
  const std::vector<NumaUnit>& containers = known.units.containers;
  bool asks = !known.units.passes() &&
              std::any_of(containers.begin(), containers.end(), [this](const NumaUnit& unit) {
                return asks_for_zones(unit, options_.rules);
              });
  known.applies = asks || known.zone_group.valid();
  return known;
}

// REQUIRES: the node has zones.
const NumaPlugin::Plan& NumaPlugin::plan_of(Class& known, NodeId node) const {
  uint32_t form = table_.form(node);
  if (known.plans.size() <= form) known.plans.resize(form + 1);
  Plan& plan = known.plans[form];
  if (plan.known) return plan;
  plan.known = true;
  NumaNode where = node_of(books_[node], node, {});
  plan.zones = where.topology->zones.size();
  plan.binds = binds_zones(where.settings.policy, options_.rules);
  std::span<const NumaUnit> units = known.units.of(where.settings.scope);
  if (where.settings.policy == NumaPolicy::SingleNode && units.size() == 1 &&
      units[0].kind == ContainerKind::App) {
    plan.by_zone = true;
    plan.needs = zone_needs(units[0], where, options_.rules);
    plan.counted = counted_zones(*where.topology, options_.rules);
  }
  if (options_.strategy != NumaStrategy::LeastNumaNodes) {
    plan.score.emplace(known.units, where, options_);
  }
  return plan;
}

bool NumaPlugin::applies(PodClassId pod_class) const { return read_class(pod_class).applies; }

void NumaPlugin::follow_changes() {
  auto changed = read_to_ ? view_->changes->since(*read_to_) : std::nullopt;
  size_t nodes = view_->nodes->size();
  bool all = !changed || books_.size() > nodes;
  books_.resize(nodes);
  table_.resize(nodes);
  for (size_t i = 0; all && i < nodes; ++i) follow(NodeId(i));
  for (size_t i = 0; !all && i < changed->size(); ++i) follow((*changed)[i]);
  read_to_ = view_->changes->end();
}

// A new report includes the pods that were on the node when the agent made it, and so does one that
// shows what the last one showed, once its fingerprint confirms it.
void NumaPlugin::follow(NodeId node) {
  ZoneBook& book = books_[node];
  const Node& record = (*view_->nodes)[node];
  if (!record.numa && !book.active()) return;
  SharedValue<NumaTopology> before = book.report;
  NumaScope scope = book.settings.scope;
  bool same = before == record.numa;
  book.report = record.numa;
  if (record.zones == ZoneTrust::Refuted && book.trust != ZoneTrust::Refuted) {
    book.refuted = book.report;
  }
  book.trust = record.zones;
  if (!book.active()) return table_.remove(node);
  book.settings = numa_settings(book.report->attributes, options_.rules);
  uint32_t form = table_.form(node);
  table_.enter(node, zone_form(record, book.settings));
  bool measured = same && table_.form(node) == form;
  bool same_zones = before && before->zones == book.report->zones && scope == book.settings.scope;
  bool seen_all = options_.resync_period == 0 || book.trust != ZoneTrust::Outdated;
  bool confirmed = book.trust == ZoneTrust::Confirmed;
  book.read_all(amounts_left(book, node), [&](ZonePod& pod) {
    bool seen = same ? confirmed && !is_new(pod, node) : seen_all;
    pod.reported = pod.reported || seen;
    if (!same_zones) read_hint(book, pod);
    if (!measured) measure(book, node, book.report->allocatable, pod);
  });
  sum_up(book, node);
}

void NumaPlugin::sum_up(const ZoneBook& book, NodeId node) {
  if (!book.active()) return;
  book.sum_up(table_.free(node, FitMode::Now), table_.free(node, FitMode::Future));
  table_.set_trusted(node, !is_stale(book));
}

NumaNode NumaPlugin::node_of(const ZoneBook& book, NodeId node,
                             std::span<const int64_t> free) const {
  return {book.report.get(), book.settings, &(*view_->nodes)[node].allocatable, free};
}

bool NumaPlugin::is_stale(const ZoneBook& book) const {
  if (book.trust == ZoneTrust::Refuted) return book.refuted == book.report;
  if (book.trust != ZoneTrust::Outdated || options_.resync_period == 0) return false;
  // Pods that are not reported yet explain the difference, and so do those that have left since.
  return !book.has_unreported() && !book.has_left();
}

// Whether the pod was placed in this session: the cluster's record does not have it on the node
// yet.
bool NumaPlugin::is_new(const ZonePod& pod, NodeId node) const {
  if (!pod.there || !pod.pod.valid()) return pod.there;
  const PodSlot& slot = (*view_->pods)[pod.pod];
  return slot.node != node || !occupies_node(slot.pod.status);
}

bool NumaPlugin::is_reserved(NodeId node) const {
  std::span<const ZonePod> pods = books_[node].pods();
  return std::any_of(pods.begin(), pods.end(),
                     [&](const ZonePod& pod) { return is_new(pod, node); });
}

bool NumaPlugin::has_zones_to_share(NodeId node) const {
  return table_.form(node) != ZoneTable::kNoForm &&
         trellis::has_zones_to_share(books_[node].settings.policy);
}

// The zones of the group's pods that stay on the node, as far as they are known.
ZoneMask NumaPlugin::zones_held(StrId zone_group, const ZoneBook& book) const {
  ZoneMask held = 0;
  for (const ZonePod& pod : book.pods()) {
    bool leaves = pod.presence == Presence::Leaves || pod.presence == Presence::Evicted;
    if (!pod.there || leaves || read_class(pod.pod_class).zone_group != zone_group) continue;
    for (ZoneMask set : pod.sets) held |= set;
  }
  return held;
}

int32_t NumaPlugin::pods_that_fit(Class& known, FitMode mode, NodeId node, int32_t most) const {
  bool shares = known.zone_group.valid();
  if (shares && !has_zones_to_share(node)) return 0;
  if (table_.form(node) == ZoneTable::kNoForm) return most;
  const Plan& plan = plan_of(known, node);
  if (!plan.binds && !shares) return most;
  if (!table_.trusted(node)) return 0;
  // The kubelet would put the pod into zones that are free already, and that are promised.
  const ZoneBook& book = books_[node];
  if (mode == FitMode::Now && book.has_left() && book.has_promises()) return 0;
  if (options_.discard_reserved) most = is_reserved(node) ? 0 : std::min(most, 1);
  std::span<const int64_t> free = table_.free(node, mode);
  if (shares) {
    return pods_in_group(known.units, node_of(book, node, free), zones_held(known.zone_group, book),
                         options_, most);
  }
  if (plan.by_zone) return pods_by_zone(plan.needs, free, plan.zones, plan.counted, most);
  return pods_in_turn(known.units, node_of(book, node, free), options_, most);
}

void NumaPlugin::count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                           std::span<int32_t> counts) const {
  Class& known = read_class(pod_class);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (counts[i] > 0) counts[i] = pods_that_fit(known, mode, nodes[i], counts[i]);
  }
}

ReasonCode NumaPlugin::refusal(PodClassId pod_class, FitMode mode, NodeId node) const {
  Class& known = read_class(pod_class);
  if (pods_that_fit(known, mode, node, 1) > 0) return ReasonCode::None;
  if (known.zone_group.valid()) return sharing_refusal(known, mode, node);
  NumaNode where = node_of(books_[node], node, table_.free(node, mode));
  bool room = align(known.units, where, options_).fits;
  return room ? ReasonCode::NumaZonesStale : ReasonCode::InsufficientNumaZone;
}

bool NumaPlugin::may_stay(PodId pod, NodeId node) const {
  const ZoneBook& book = books_[node];
  const ZonePod* evicted = book.active() ? book.find_evicted(pod) : nullptr;
  if (evicted == nullptr) return true;
  Class& known = read_class(evicted->pod_class);
  if (!plan_of(known, node).binds && !known.zone_group.valid()) return true;
  std::span<const int64_t> free = table_.free(node, FitMode::Future);
  return std::ranges::all_of(evicted->amounts,
                             [&](const ZoneAmount& one) { return free[one.cell] >= one.amount; });
}

// REQUIRES: the node does not take the pod.
ReasonCode NumaPlugin::sharing_refusal(Class& known, FitMode mode, NodeId node) const {
  if (!has_zones_to_share(node)) return ReasonCode::NoNumaZones;
  const ZoneBook& book = books_[node];
  NumaNode where = node_of(book, node, table_.free(node, mode));
  ZoneMask held = zones_held(known.zone_group, book);
  if (align_in_group(known.units, where, held, options_).fits) return ReasonCode::NumaZonesStale;
  where.settings.policy = NumaPolicy::SingleNode;
  bool room = align(known.units, where, options_).fits;
  return room ? ReasonCode::NumaZoneNotShared : ReasonCode::InsufficientNumaZone;
}

PartRefusal NumaPlugin::part_refusal(PodClassId pod_class, FitMode mode, NodeId node) const {
  if (table_.form(node) == ZoneTable::kNoForm || !table_.trusted(node)) return {};
  const ZoneBook& book = books_[node];
  NumaNode where = node_of(book, node, table_.free(node, mode));
  const Class& known = read_class(pod_class);
  ZoneRefusal zones =
      known.zone_group.valid()
          ? group_refusal(known.units, where, zones_held(known.zone_group, book), options_)
          : zone_refusal(known.units, where, options_);
  PartRefusal refusal;
  if (where.settings.scope == NumaScope::Container) refusal.container = zones.unit;
  for (const ZoneShortage& one : zones.shortages) {
    std::string name = where.topology->zones[one.zone].name;
    refusal.shortages.push_back({std::move(name), one.resource, one.short_by});
  }
  return refusal;
}

bool NumaPlugin::distinguishes(PodClassId pod_class, FitMode /*mode*/) const {
  const Class& known = read_class(pod_class);
  return known.applies && known.units.qos == Qos::Guaranteed;
}

void NumaPlugin::score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                       std::span<double> out) const {
  Class& known = read_class(pod_class);
  bool guaranteed = known.units.qos == Qos::Guaranteed;
  for (size_t i = 0; i < nodes.size(); ++i) {
    NodeId node = nodes[i];
    // Pods that are not Guaranteed score best on every node, with or without a report.
    if (!guaranteed) out[i] += weight * static_cast<double>(kBestNumaScore);
    bool unknown = table_.form(node) == ZoneTable::kNoForm || !table_.trusted(node);
    if (!guaranteed || unknown) continue;
    const Plan& plan = plan_of(known, node);
    std::span<const int64_t> free = table_.free(node, FitMode::Now);
    int64_t score = plan.score
                        ? plan.score->of(free)
                        : numa_score(known.units, node_of(books_[node], node, free), options_);
    out[i] += weight * static_cast<double>(score);
  }
}

// A pod that the cluster has on the node is reported unless it was bound after the report.
bool NumaPlugin::is_reported(const ZoneBook& book, PodId pod, NodeId node) const {
  if (!pod.valid()) return false;
  const PodSlot& slot = (*view_->pods)[pod];
  if (slot.node != node || !occupies_node(slot.pod.status)) return false;
  if (!slot.pod.containers || slot.pod.containers->bound_after == 0) return true;
  if (book.trust == ZoneTrust::Confirmed) return true;
  return slot.pod.containers->bound_after != report_hash(*book.report);
}

// Reads the zones of the pod's containers, if they are known.
void NumaPlugin::read_hint(const ZoneBook& book, ZonePod& pod) const {
  pod.sets.clear();
  if (!pod.pod.valid()) return;
  const SharedValue<PodContainers>& containers = (*view_->pods)[pod.pod].pod.containers;
  if (containers) pod.sets = sets_of(book, containers->zones);
}

// Computes what the pod takes of each cell. A reported pod whose zones are not known gives none
// back.
void NumaPlugin::measure(const ZoneBook& book, NodeId node, std::span<const int64_t> free,
                         ZonePod& pod) const {
  pod.amounts.clear();
  if (pod.sets.empty() && pod.reported) return;
  pod.amounts = amounts_of(book, node, read_class(pod.pod_class).units, pod.sets, free);
}

// What a pod takes of each cell of `free`.
ZoneAmounts NumaPlugin::amounts_of(const ZoneBook& book, NodeId node, const NumaUnits& units,
                                   const std::vector<ZoneMask>& sets,
                                   std::span<const int64_t> free) const {
  std::vector<int64_t> left(free.begin(), free.end());
  NumaVerdict verdict;
  verdict.zones = sets;
  charge(units, node_of(book, node, left), verdict, options_, left);
  ZoneAmounts amounts;
  for (size_t cell = 0; cell < left.size(); ++cell) {
    if (left[cell] == free[cell]) continue;
    amounts.push_back({static_cast<uint32_t>(cell), free[cell] - left[cell]});
  }
  return amounts;
}

// The amounts that the node's report shows as used by pods that have left.
ZoneAmounts NumaPlugin::amounts_left(const ZoneBook& book, NodeId node) const {
  ZoneAmounts all;
  for (const ZoneLeaver& leaver : (*view_->nodes)[node].left) {
    NumaUnits units = numa_units(leaver.demand, view_->vocabulary->resources, options_.rules);
    ZoneAmounts held =
        amounts_of(book, node, units, sets_of(book, leaver.zones), book.report->allocatable);
    all.insert(all.end(), held.begin(), held.end());
  }
  return all;
}

ZonePod NumaPlugin::make(const ZoneBook& book, PodId pod, PodClassId pod_class, NodeId node,
                         Presence presence) const {
  ZonePod made{pod, pod_class, presence};
  bool promised = presence == Presence::Promised;
  // A pod that was evicted and is promised its own node again is taken to stay.
  const ZonePod* evicted = promised && pod.valid() ? book.find_evicted(pod) : nullptr;
  if (evicted != nullptr && may_stay(pod, node)) {
    made.sets = evicted->sets;
    made.amounts = evicted->amounts;
    return made;
  }
  bool known = !promised && pod.valid() && (*view_->pods)[pod].node == node &&
               occupies_node((*view_->pods)[pod].pod.status);
  if (known) {
    made.reported = is_reported(book, pod, node);
    read_hint(book, made);
    measure(book, node, book.report->allocatable, made);
    return made;
  }
  std::span<const int64_t> free = table_.free(node, promised ? FitMode::Future : FitMode::Now);
  const Class& known_class = read_class(pod_class);
  NumaNode where = node_of(book, node, free);
  NumaVerdict verdict;
  if (!known_class.zone_group.valid()) {
    verdict = align(known_class.units, where, options_);
  } else if (has_zones_to_share(node)) {
    ZoneMask held = zones_held(known_class.zone_group, book);
    verdict = align_in_group(known_class.units, where, held, options_);
  }
  if (verdict.fits) made.sets = std::move(verdict.zones);
  measure(book, node, free, made);
  return made;
}

void NumaPlugin::placed(PodClassId pod_class, NodeId node, Presence presence) {
  pod_placed(PodId(), pod_class, node, presence);
}

void NumaPlugin::removed(PodClassId pod_class, NodeId node, Presence presence) {
  pod_removed(PodId(), pod_class, node, presence);
}

void NumaPlugin::pod_placed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) {
  ZoneBook& zones = books_[node];
  // An eviction, or the rollback of an eviction: the pod keeps the zones that it had.
  Presence other = presence == Presence::Evicted ? Presence::Stays : Presence::Evicted;
  bool turns = presence == Presence::Evicted || presence == Presence::Stays;
  bool kept = turns && pod.valid() && zones.come_back(pod, other, presence);
  if (!kept && zones.active()) {
    zones.add(make(zones, pod, pod_class, node, presence));
  } else if (!kept) {
    zones.add({pod, pod_class, presence});
  }
  sum_up(zones, node);
}

void NumaPlugin::pod_removed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) {
  ZoneBook& zones = books_[node];
  if (!zones.leave(pod, pod_class, presence)) return;
  if (left_on_.empty() || left_on_.back() != node) left_on_.push_back(node);
  sum_up(zones, node);
}

void NumaPlugin::settled() {
  for (NodeId node : left_on_) {
    if (books_.contains(node)) books_[node].purge();
  }
  left_on_.clear();
}

void NumaPlugin::describe(PodId pod, NodeId node, std::vector<BindNote>& notes) const {
  const ZoneBook& zones = books_[node];
  const ZonePod* found = zones.active() ? zones.find(pod) : nullptr;
  const SharedValue<PodContainers>& containers = (*view_->pods)[pod].pod.containers;
  if (found == nullptr || !containers) return;
  std::string text;
  for (size_t i = 0; i < containers->names.size(); ++i) {
    size_t unit = zones.settings.scope == NumaScope::Pod ? 0 : i;
    if (unit >= found->sets.size() || found->sets[unit] == 0) continue;
    text += text.empty() ? "{\"" : ",\"";
    text.append(view_->vocabulary->strings.view(containers->names[i])).append("\":");
    append_ids(text, *zones.report, found->sets[unit]);
  }
  if (!text.empty()) notes.push_back({BindNote::Kind::Annotation, kNumaHint, text + "}"});
}

void NumaPlugin::before_bind(PodId pod, NodeId node, int32_t /*rank*/,
                             std::vector<BindNote>& notes) const {
  describe(pod, node, notes);
  const ZoneBook& zones = books_[node];
  const ZonePod* found = zones.active() ? zones.find(pod) : nullptr;
  if (found == nullptr || found->amounts.empty()) return;
  notes.push_back({BindNote::Kind::Annotation, kNumaReport, hex(report_hash(*zones.report))});
}

}  // namespace trellis
