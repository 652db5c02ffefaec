// Small linear programs: maximise value . x where, in each row, the amounts of x are at most a
// limit, and x >= 0.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace trellis {

class LinearProgram {
 public:
  // A variable: its value, and its amount in each row, none negative.
  void add(double value, std::vector<double> amounts) {
    values_.push_back(value);
    amounts_.push_back(std::move(amounts));
  }

  // By the simplex method, by Bland's rule. The result is the value of an x that keeps all limits,
  // whatever was rounded, so never above the maximum; 0 where the program has no bound. REQUIRES:
  // no limit is negative. Cost: O(steps x rows x variables), for programs with a few of each.
  double maximum(std::span<const double> limits) const;

 private:
  std::vector<double> solve(std::span<const double> limits) const;

  std::vector<double> values_;
  std::vector<std::vector<double>> amounts_;  // by variable
};

}  // namespace trellis
