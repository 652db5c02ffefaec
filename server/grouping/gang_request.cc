#include "server/grouping/gang_request.h"

namespace trellis {
namespace {

void take(PlacedWord& word, const PlacedWord& other) {
  if (!word.valid()) word = other;
}

void take(StrId& word, Place& place, StrId other_word, const Place& other_place) {
  if (word.valid() || !other_word.valid()) return;
  word = other_word;
  place = other_place;
}

void add_topology(PlacedConstraint& own, const PlacedConstraint& other) {
  bool another = own.constraint.topology.valid() && other.constraint.topology.valid() &&
                 own.constraint.topology != other.constraint.topology;
  if (another) return;
  if (!own.constraint.asks_level()) own.implied = other.implied;
  take(own.constraint.topology, own.topology, other.constraint.topology, other.topology);
  take(own.constraint.required, own.required, other.constraint.required, other.required);
  take(own.constraint.preferred, own.preferred, other.constraint.preferred, other.preferred);
}

void add_structure(StructureKeys& own, const StructureKeys& other) {
  take(own.balance, other.balance);
  bool layers = own.segment_layers.valid();
  bool words = own.has_segment();
  if (!layers) {
    take(own.segment_size, other.segment_size);
    take(own.segment_required, other.segment_required);
    take(own.segment_preferred, other.segment_preferred);
  }
  if (!words) take(own.segment_layers, other.segment_layers);
}

}  // namespace

void StructureRequest::add(const GangKeys& more) {
  if (more.topology) add_topology(topology, *more.topology);
  if (more.structure) add_structure(structure, *more.structure);
}

void GangRequest::add(const GangKeys& more) {
  if (!queue.valid()) queue = more.queue;
  if (!priority_class.valid()) priority_class = more.priority_class;
  if (preemptibility == Preemptibility::Unset) preemptibility = more.preemptibility;
  if (!movable) movable = more.movable;
  if (!background) background = more.background;
  if (!near.valid()) near = more.near;
  if (!spares) spares = more.spares;
  if (!more.preferences) return;
  take(preferences.list, more.preferences->list);
  take(preferences.max_per_node, more.preferences->max_per_node);
}

}  // namespace trellis
