#include "server/wording/victim_text.h"

#include "framework/reason_catalog.h"

namespace trellis {
namespace {

std::string gangs_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " gang" : " gangs");
}

std::string refusal_text(const VerdictCount& verdict) {
  std::string are = gangs_text(verdict.nodes) + (verdict.nodes == 1 ? " is" : " are");
  const ReasonEntry& entry = reason_entry(verdict.code);
  if (verdict.code == ReasonCode::QueueNotFound) return are + " of a queue that is not there";
  bool says = entry.scope == ReasonScope::Victim;
  return are + " " + (says ? std::string(entry.sentence) : "held by " + std::string(entry.name));
}

std::string refusals_text(const Reason& reason) {
  std::string text;
  for (const VerdictCount& verdict : reason.verdicts) {
    text += (text.empty() ? ": " : ", ") + refusal_text(verdict);
  }
  return text;
}

std::string tried_text(const Reason& reason) {
  return reason.found == 1 ? "1 set of victims was tried"
                           : std::to_string(reason.found) + " sets of victims were tried";
}

std::string what_stopped(const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::VictimsNoFit:
      if (reason.found == 0)
        return "not even all that may be moved makes room" + refusals_text(reason);
      return tried_text(reason) + ", none makes room" + refusals_text(reason);
    case ReasonCode::NoVictims:
      return "nothing may be moved for it" + refusals_text(reason);
    case ReasonCode::NeverMovesOthers:
    case ReasonCode::PreemptionDelay:
      return std::string(reason_entry(reason.code).sentence);
    case ReasonCode::UnfairExchange:
      return tried_text(reason) + ", none is fair to the queues" + refusals_text(reason);
    default:
      return tried_text(reason) + ", but a PodDisruptionBudget allows no more";
  }
}

}  // namespace

std::string victim_text(const Reason& reason) {
  return std::string(reason.plugin) + ": " + what_stopped(reason);
}

}  // namespace trellis
