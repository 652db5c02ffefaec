#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "server/objects/decode_selectors.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 4> kBudgetSpecKeys = {
    "minAvailable", "maxUnavailable", "selector", "unhealthyPodEvictionPolicy"};

std::optional<int32_t> parse_percent(std::string_view text) {
  int32_t number = 0;
  const char* last = text.data() + text.size();
  auto [end, fault] = std::from_chars(text.data(), last, number);
  if (fault != std::errc() || end + 1 != last || *end != '%' || number < 0) return std::nullopt;
  return number;
}

std::optional<PodQuantity> read_quantity(Value spec, std::string_view key, FieldReader& fields) {
  Value value = spec[key];
  if (value.absent()) return std::nullopt;
  if (value.is(ValueKind::Number)) {
    std::optional<int64_t> pods = fields.integer(spec, key, 0, INT32_MAX);
    return pods ? std::optional(PodQuantity{.pods = *pods, .percent = {}}) : std::nullopt;
  }
  std::optional<int32_t> percent;
  if (value.is(ValueKind::String)) percent = parse_percent(value.text());
  if (percent) return PodQuantity{.pods = 0, .percent = percent};
  fields.error(value, describe(value), "a number of pods, or a share of them such as \"50%\"");
  return std::nullopt;
}

}  // namespace

BudgetRecord decode_budget(NamedObject named, FieldReader& fields) {
  DisruptionBudget budget;
  budget.name_space = named.meta.key.name_space;
  budget.name = std::move(named.name);
  Value spec = fields.object(named.object, "spec");
  fields.known_keys(spec, kBudgetSpecKeys);
  budget.min_available = read_quantity(spec, "minAvailable", fields);
  budget.max_unavailable = read_quantity(spec, "maxUnavailable", fields);
  if (budget.min_available && budget.max_unavailable) {
    fields.error(spec["maxUnavailable"], "maxUnavailable beside minAvailable", "one of the two");
  }
  Value selector = fields.object(spec, "selector");
  fields.known_keys(selector, kSelectorKeys);
  budget.selects_nothing = selector.absent();
  budget.labels = decode_label_selector(selector, fields);
  budget.disruptions_allowed =
      fields.integer(fields.object(named.object, "status"), "disruptionsAllowed", 0, INT32_MAX);
  return {std::move(named.meta), std::move(budget)};
}

}  // namespace trellis
