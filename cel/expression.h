// Expressions of Kubernetes' device selectors: compiled once, then evaluated for devices.
//
// The language is CEL as the scheduler of Kubernetes runs it (Stored environment of 1.37): the
// variable `device`, macros, optional values, and the libraries for texts, lists, sets, quantities,
// versions, URLs, addresses and formats. An expression that fails to compile can be asked why, and
// a device for which it fails gets the error as its answer.
// Guarantees: the same expression and device give the same answer; evaluation ends, because its
// cost is limited as in Kubernetes, and so do the depth and the length of expressions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cel/checker.h"
#include "cel/device.h"
#include "cel/evaluator.h"
#include "cel/reads.h"

namespace trellis::cel {

enum class Purpose : uint8_t {
  // The result is a boolean.
  Selector,
  // The result is a boolean, a number, a text, a version, or a list of one of these.
  DerivedAttribute,
};

struct Match {
  bool matches = false;
  // "": there is none.
  std::string error;
  // Of the evaluation, in CEL's units.
  int64_t cost = 0;
};

class Expression {
 public:
  // Cost: about linear in the text.
  static Expression compile(std::string_view text, Purpose purpose);

  bool valid() const { return error_.empty(); }
  // Why it did not compile, with the place: "1:5: ...".
  const std::string& error() const { return error_; }

  // What it reads of a device. Requires a valid expression.
  Reads reads() const { return reads_of(*tree_); }
  // Requires a valid selector.
  Match matches(const Device& device) const;
  // Requires a valid expression. An error, or a value that an attribute may have.
  Value value(const Device& device) const;

 private:
  std::shared_ptr<const Tree> tree_;
  std::string error_;
};

}  // namespace trellis::cel
