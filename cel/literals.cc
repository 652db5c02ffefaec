#include "cel/literals.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>

#include "cel/signatures.h"

namespace trellis::cel {
namespace {

bool is_conversion(const Node& call) {
  static constexpr std::string_view kNames[] = {"bool", "bytes",  "double",    "duration",
                                                "int",  "string", "timestamp", "uint"};
  return !call.member && call.children.size() == 1 &&
         std::find(std::begin(kNames), std::end(kNames), call.text) != std::end(kNames);
}

Value try_pattern(const Value& pattern) {
  const std::array<Value, 2> arguments = {Value::string(""), pattern};
  return functions_of("matches", true)[0]->run(arguments);
}

}  // namespace

Complaint complaint_of_literals(const Tree& tree, const Node& call) {
  bool pattern = call.text == "matches" || call.text == "find" || call.text == "findAll";
  if (!pattern && !is_conversion(call)) return {};
  const Node& argument = tree.nodes[call.children[pattern ? 1 : 0]];
  if (argument.kind != NodeKind::Constant) return {};
  Value tried =
      pattern
          ? try_pattern(argument.constant)
          : functions_of(call.text, false)[0]->run(std::span<const Value>(&argument.constant, 1));
  if (!tried.failed()) return {};
  return {"invalid " + call.text + " argument: " + tried.text(), argument.position};
}

}  // namespace trellis::cel
