// Strong 32-bit ids: a dense index into one table, and into no other.
//
// An id is meaningful only for the table that created it. `kNone` (all ones) means "no object"; a
// field that may be empty has the type Maybe<Id>.
// Cost: that of a uint32_t.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include "framework/check.h"

namespace trellis {

template <class Tag>
struct StrongId {
  static constexpr uint32_t kNoneValue = UINT32_MAX;

  uint32_t value = kNoneValue;

  constexpr StrongId() = default;
  constexpr explicit StrongId(uint32_t v) : value(v) {}
  constexpr explicit StrongId(size_t v) : value(static_cast<uint32_t>(v)) {}
  constexpr explicit StrongId(int v) : value(static_cast<uint32_t>(v)) {}

  constexpr bool valid() const { return value != kNoneValue; }
  constexpr auto operator<=>(const StrongId&) const = default;
};

// An id that may be none, for a reference that a record may lack. Code tests it before it uses it:
// to dereference a none is a broken check. Cost: that of the id.
template <class Id>
class Maybe {
 public:
  constexpr Maybe() = default;
  constexpr Maybe(Id id) : id_(id) {}  // NOLINT: an id is one that may be none

  constexpr bool valid() const { return id_.valid(); }
  constexpr explicit operator bool() const { return id_.valid(); }
  constexpr Id operator*() const {
    require(id_.valid(), "an id that may be none is asked before it is used");
    return id_;
  }
  // The id or kNone, to store or to compare.
  constexpr Id raw() const { return id_; }
  constexpr auto operator<=>(const Maybe&) const = default;

 private:
  Id id_;
};

using NodeId = StrongId<struct NodeTag>;
using PodId = StrongId<struct PodTag>;
using GangId = StrongId<struct GangTag>;
using BudgetId = StrongId<struct BudgetTag>;  // a PodDisruptionBudget
using NodeRequestId = StrongId<struct NodeRequestTag>;
using QueueId = StrongId<struct QueueTag>;
using TopologyId = StrongId<struct TopologyTag>;
using DomainId = StrongId<struct DomainTag>;        // within one topology's tree
using PodClassId = StrongId<struct PodClassTag>;    // pods equal in all that scheduling reads
using NodeClassId = StrongId<struct NodeClassTag>;  // nodes equal in labels that are read, taints
using PodSelectorId = StrongId<struct PodSelectorTag>;  // pods that a term between pods selects
using FlavorId = StrongId<struct FlavorTag>;
using ClusterQueueId = StrongId<struct ClusterQueueTag>;
using CohortId = StrongId<struct CohortTag>;
using LocalQueueId = StrongId<struct LocalQueueTag>;
using WorkloadId = StrongId<struct WorkloadTag>;
using QuotaNodeId = StrongId<struct QuotaNodeTag>;  // a ClusterQueue or Cohort in the quota tree
using QuotaCellId = StrongId<struct QuotaCellTag>;  // one flavor's amount of one resource
using ResourceId = StrongId<struct ResourceTag>;
using StrId = StrongId<struct StrTag>;  // an interned string

}  // namespace trellis

template <class Tag>
struct std::hash<trellis::StrongId<Tag>> {
  size_t operator()(trellis::StrongId<Tag> id) const noexcept { return id.value; }
};
