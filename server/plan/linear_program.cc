#include "server/plan/linear_program.h"

#include <algorithm>
#include <cstddef>

namespace trellis {
namespace {

constexpr double kTiny = 1e-12;
constexpr int kMostSteps = 1000;

// The tableau: a row for each limit with the slack variables, then the row of reduced values.
class Tableau {
 public:
  Tableau(std::span<const double> values, const std::vector<std::vector<double>>& amounts,
          std::span<const double> limits)
      : variables_(values.size()),
        width_(values.size() + limits.size() + 1),
        cells_((limits.size() + 1) * width_),
        basis_(limits.size()) {
    for (size_t row = 0; row < limits.size(); ++row) {
      for (size_t i = 0; i < variables_; ++i) at(row, i) = amounts[i][row];
      at(row, variables_ + row) = 1;
      at(row, width_ - 1) = limits[row];
      basis_[row] = variables_ + row;
    }
    for (size_t i = 0; i < variables_; ++i) at(limits.size(), i) = -values[i];
  }

  // False: nothing more improves the value.
  bool step() {
    size_t enters = 0;
    while (enters + 1 < width_ && at(basis_.size(), enters) >= -kTiny) ++enters;
    if (enters + 1 == width_) return false;
    size_t leaves = basis_.size();
    for (size_t row = 0; row < basis_.size(); ++row) {
      if (at(row, enters) <= kTiny) continue;
      if (leaves == basis_.size() || ratio(row, enters) < ratio(leaves, enters) ||
          (ratio(row, enters) == ratio(leaves, enters) && basis_[row] < basis_[leaves])) {
        leaves = row;
      }
    }
    if (leaves == basis_.size()) return false;  // without bound
    pivot(leaves, enters);
    return true;
  }

  std::vector<double> solution() const {
    std::vector<double> x(variables_);
    for (size_t row = 0; row < basis_.size(); ++row) {
      if (basis_[row] < variables_) x[basis_[row]] = cells_[row * width_ + width_ - 1];
    }
    return x;
  }

 private:
  double& at(size_t row, size_t column) { return cells_[row * width_ + column]; }
  double ratio(size_t row, size_t column) { return at(row, width_ - 1) / at(row, column); }

  void pivot(size_t row, size_t column) {
    double divisor = at(row, column);
    for (size_t i = 0; i < width_; ++i) at(row, i) /= divisor;
    for (size_t other = 0; other <= basis_.size(); ++other) {
      double factor = at(other, column);
      if (other == row || factor == 0) continue;
      for (size_t i = 0; i < width_; ++i) at(other, i) -= factor * at(row, i);
    }
    basis_[row] = column;
  }

  size_t variables_;
  size_t width_;
  std::vector<double> cells_;
  std::vector<size_t> basis_;
};

}  // namespace

std::vector<double> LinearProgram::solve(std::span<const double> limits) const {
  Tableau tableau(values_, amounts_, limits);
  for (int step = 0; step < kMostSteps && tableau.step(); ++step) {
  }
  return tableau.solution();
}

double LinearProgram::maximum(std::span<const double> limits) const {
  std::vector<double> x = solve(limits);
  double scale = 1;  // so that x keeps the limits
  for (size_t row = 0; row < limits.size(); ++row) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += std::max(0.0, x[i]) * amounts_[i][row];
    if (sum > limits[row]) scale = std::min(scale, limits[row] / sum);
  }
  double value = 0;
  for (size_t i = 0; i < x.size(); ++i) value += std::max(0.0, x[i]) * values_[i];
  return std::max(0.0, value * scale);
}

}  // namespace trellis
