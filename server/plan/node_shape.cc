#include "server/plan/node_shape.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "server/document/diagnostic.h"
#include "server/manifest/manifest.h"

namespace trellis {
namespace {

constexpr double kMostPrice = 1e9;

// Removes `=MAX` from the end of the word and returns it; kNoMost: there is none.
int64_t take_most(std::string& word) {
  size_t at = word.rfind('=');
  if (at == std::string::npos || at + 1 == word.size()) return kNoMost;
  int64_t most = 0;
  const char* last = word.data() + word.size();
  auto [end, failure] = std::from_chars(word.data() + at + 1, last, most);
  if (failure != std::errc() || end != last || most < 0) return kNoMost;
  word.resize(at);
  return most;
}

std::string first_error(const Manifest& manifest) {
  auto wrong = std::ranges::find(manifest.diagnostics, Severity::Error, &Diagnostic::severity);
  return wrong == manifest.diagnostics.end() ? "" : to_string(*wrong);
}

// Whether some object has an annotation with a price, whatever it is.
bool names_price(const Manifest& manifest) {
  std::string key = "\"" + std::string(kPriceKey) + "\"";
  return std::ranges::any_of(manifest.raw, [&](const RawObject& object) {
    return object.json.find(key) != std::string::npos;
  });
}

// What nodes of the shape are once they are there.
Node open_node(Node node, const StringTable& strings) {
  node.name.clear();
  node.ready = true;
  node.unschedulable = false;
  std::erase_if(node.taints, [&](const Taint& taint) {
    return strings.view(taint.key).starts_with("node.kubernetes.io/");
  });
  return node;
}

}  // namespace

Result<NodeShape> read_shape(const std::string& word, Vocabulary& vocabulary) {
  NodeShape shape;
  std::string file = word;
  shape.most = take_most(file);
  Manifest manifest = read_manifest({file}, vocabulary, {.keep_raw = true});
  if (std::string wrong = first_error(manifest); !wrong.empty()) return error(wrong);
  const std::vector<Node>& nodes = manifest.objects.nodes;
  if (nodes.size() != 1) {
    return error(file + ": a shape is one Node, and the file holds " +
                 std::to_string(nodes.size()));
  }
  shape.name = nodes.front().name;
  StrId key = vocabulary.strings.find(kPriceKey);
  const std::vector<NodeNumber>& numbers = nodes.front().numbers;
  bool has_price = std::ranges::find(numbers, key, &NodeNumber::key) != numbers.end();
  if (!has_price && names_price(manifest)) {
    return error(file + ": annotation " + std::string(kPriceKey) + ": expected a number");
  }
  for (const NodeNumber& number : numbers) {
    if (number.key != key) continue;
    if (number.value < 0 || number.value > kMostPrice) {
      return error(file + ": the price " + std::to_string(number.value) +
                   ": expected 0 up to 1000000000");
    }
    shape.price_micro = std::llround(number.value * static_cast<double>(kPriceUnit));
  }
  shape.node = open_node(nodes.front(), vocabulary.strings);
  return shape;
}

}  // namespace trellis
