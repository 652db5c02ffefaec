#include "plugins/quota/fungibility.h"

namespace trellis {
namespace {

int smaller_first(int a, int b) { return static_cast<int>(a > b) - static_cast<int>(a < b); }

}  // namespace

int compare(const FlavorGrade& a, const FlavorGrade& b, const FlavorFungibility& fungibility) {
  if (a.mode == b.mode && a.mode == FlavorMode::NoFit) return 0;
  int by_mode = smaller_first(static_cast<int>(b.mode), static_cast<int>(a.mode));
  // What cannot be had in this cycle is worse than anything that can.
  bool hopeless = a.mode <= FlavorMode::NoCandidates || b.mode <= FlavorMode::NoCandidates;
  if (hopeless && by_mode != 0) return by_mode;
  int by_borrowing = smaller_first(a.borrowing, b.borrowing);
  bool borrowing_first = fungibility.prefers_preemption;
  int major = borrowing_first ? by_borrowing : by_mode;
  int minor = borrowing_first ? by_mode : by_borrowing;
  return major != 0 ? major : minor;
}

bool ends_search(const FlavorGrade& grade, const FlavorFungibility& fungibility) {
  bool may_borrow = grade.borrowing == 0 || fungibility.borrow_before_next;
  switch (grade.mode) {
    case FlavorMode::NoFit:
    case FlavorMode::NoCandidates:
      return false;
    case FlavorMode::Preempt:
    case FlavorMode::Reclaim:
      return fungibility.preempt_before_next && may_borrow;
    case FlavorMode::Fit:
      return may_borrow;
  }
  return false;
}

}  // namespace trellis
