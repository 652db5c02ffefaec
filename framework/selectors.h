// Node selectors, taints and tolerations, as Kubernetes defines them, over interned strings.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/string_table.h"

namespace trellis {

struct Label {
  StrId key;
  StrId value;
  auto operator<=>(const Label&) const = default;
};

// Sorted by key id, no key twice.
using Labels = std::vector<Label>;

StrId find_label(std::span<const Label> labels, StrId key);  // kNone when absent

enum class SelectorOp : uint8_t { In, NotIn, Exists, DoesNotExist, Gt, Lt };

struct Requirement {
  StrId key;
  SelectorOp op = SelectorOp::In;
  std::vector<StrId> values;
  auto operator<=>(const Requirement&) const = default;
};

// One term: all requirements must hold. An empty term matches nothing (Kubernetes' rule).
struct SelectorTerm {
  std::vector<Requirement> labels;  // matchExpressions
  std::vector<Requirement> fields;  // matchFields; the only key is metadata.name
  auto operator<=>(const SelectorTerm&) const = default;
};

struct PreferredTerm {
  int32_t weight = 1;  // 1..100
  SelectorTerm term;
  auto operator<=>(const PreferredTerm&) const = default;
};

// Whether a label value (kNone: the label is absent) satisfies the requirement.
bool matches(const Requirement& requirement, StrId value, const StringTable& strings);

// Whether a node of these labels and this name satisfies the term; an empty term matches nothing.
bool matches(const SelectorTerm& term, std::span<const Label> labels, std::string_view name,
             const StringTable& strings);

enum class TaintEffect : uint8_t { NoSchedule, PreferNoSchedule, NoExecute };

struct Taint {
  StrId key;
  StrId value = StringTable::kEmpty;
  TaintEffect effect = TaintEffect::NoSchedule;
  auto operator<=>(const Taint&) const = default;
};

struct Toleration {
  enum class Op : uint8_t { Equal, Exists };
  StrId key = StringTable::kEmpty;  // empty with Exists: every key
  Op op = Op::Equal;
  StrId value = StringTable::kEmpty;
  bool any_effect = true;
  TaintEffect effect = TaintEffect::NoSchedule;
  auto operator<=>(const Toleration&) const = default;
};

bool tolerates(const Toleration& toleration, const Taint& taint);

// The first NoSchedule or NoExecute taint that no toleration tolerates; nullptr when there is none.
const Taint* untolerated(std::span<const Taint> taints, std::span<const Toleration> tolerations);

}  // namespace trellis
