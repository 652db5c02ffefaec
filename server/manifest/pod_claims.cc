#include "server/manifest/pod_claims.h"

#include <optional>
#include <utility>

namespace trellis {
namespace {

using Terms = std::vector<SelectorTerm>;

bool is_empty(const SelectorTerm& term) { return term.labels.empty() && term.fields.empty(); }

// Terms are alternatives: one of each list must hold, so that every pair is an alternative.
std::optional<Terms> both(const Terms& a, const Terms& b) {
  if (a.size() * b.size() > kMostNodeTerms) return std::nullopt;
  Terms pairs;
  pairs.reserve(a.size() * b.size());
  for (const SelectorTerm& first : a) {
    for (const SelectorTerm& second : b) {
      // An empty term matches no node.
      if (is_empty(first) || is_empty(second)) continue;
      SelectorTerm pair = first;
      pair.labels.insert(pair.labels.end(), second.labels.begin(), second.labels.end());
      pair.fields.insert(pair.fields.end(), second.fields.begin(), second.fields.end());
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

}  // namespace

bool require_terms(const Terms& terms, PodSpec& spec) {
  if (!spec.has_claim_terms) {
    spec.has_claim_terms = true;
    spec.claim_terms = terms;
    return true;
  }
  if (spec.claim_terms == terms) return true;
  std::optional<Terms> all = both(spec.claim_terms, terms);
  if (!all) return false;
  spec.claim_terms = std::move(*all);
  return true;
}

void hold_pod(Pod& pod, PodHold hold) {
  if (pod.hold == PodHold::None || pod.hold == PodHold::Workload) pod.hold = hold;
}

}  // namespace trellis
