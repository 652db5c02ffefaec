#include "server/document/field_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "server/document/duration.h"
#include "server/document/quantity.h"
#include "server/document/timestamp.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

// A bound, since every resource is a column over all nodes.
constexpr size_t kMaxResources = 1000;

bool extended(std::string_view resource) {
  return resource.find('/') != std::string_view::npos || resource.starts_with("hugepages-");
}

// Names the bounds of the type itself only for a number beyond them.
std::string range_text(int64_t low, int64_t high, bool beyond) {
  std::string text = "a whole number";
  if (beyond || low > INT32_MIN) text += " from " + std::to_string(low);
  if (beyond || high < INT32_MAX) text += " to " + std::to_string(high);
  return text;
}

// A hint for a number that was written as a string.
std::string without_quotes(Value found) {
  bool number = found.is(ValueKind::String) && parse_quantity(found.text(), 0);
  return number ? " (without quotes)" : "";
}

std::string alternatives(std::span<const std::string_view> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += in_quotes(words[i]);
  }
  return text;
}

}  // namespace

std::string expected_string(Value found) {
  if (found.is(ValueKind::Number) || found.is(ValueKind::Bool)) return "a string (in quotes)";
  return "a string";
}

void FieldReader::error(Value at, std::string found, std::string expected, std::string nearest) {
  report_.error(at, {std::move(found), std::move(expected), std::move(nearest)});
}

void FieldReader::missing(Value parent, std::string_view key, std::string expected) {
  Place place = report_.place(parent);
  place.path += path_step(key);
  report_.error(place, {"nothing", std::move(expected), ""});
}

std::optional<StrId> FieldReader::name(Value parent, std::string_view key, std::string expected) {
  Value value = parent[key];
  std::string_view text = string(parent, key);
  if (!text.empty()) return intern(text);
  if (value.absent()) {
    missing(parent, key, std::move(expected));
  } else if (value.is(ValueKind::String)) {
    error(value, describe(value), std::move(expected));
  }
  return std::nullopt;
}

std::string_view FieldReader::string(Value parent, std::string_view key) {
  Value value = parent[key];
  if (value.absent()) return {};
  if (!value.is(ValueKind::String)) {
    error(value, describe(value), expected_string(value));
    return {};
  }
  return value.text();
}

Value FieldReader::object(Value parent, std::string_view key) {
  Value value = parent[key];
  if (value.absent() || value.is(ValueKind::Object)) return value;
  error(value, describe(value), "an object");
  return {};
}

Value FieldReader::list(Value parent, std::string_view key) {
  Value value = parent[key];
  if (value.absent() || value.is(ValueKind::Array)) return value;
  error(value, describe(value), "a list");
  return {};
}

Value FieldReader::list(Value parent, std::string_view key, size_t most) {
  Value value = list(parent, key);
  if (value.size() <= most) return value;
  error(value, std::to_string(value.size()) + " items", "at most " + std::to_string(most));
  return {};
}

bool FieldReader::boolean(Value parent, std::string_view key, bool otherwise) {
  Value value = parent[key];
  if (value.absent()) return otherwise;
  if (value.is(ValueKind::Bool)) return value.boolean();
  error(value, describe(value), "true or false");
  return otherwise;
}

std::optional<int64_t> FieldReader::integer(Value parent, std::string_view key, int64_t low,
                                            int64_t high) {
  Value value = parent[key];
  if (value.absent()) return std::nullopt;
  std::optional<Quantity> read;
  if (value.is(ValueKind::Number)) read = parse_quantity(value.text(), 0);
  if (read && read->exact && read->amount >= low && read->amount <= high) return read->amount;
  bool beyond = read && (read->amount < low || read->amount > high);
  error(value, describe(value), range_text(low, high, beyond) + without_quotes(value));
  return std::nullopt;
}

std::optional<double> FieldReader::number(Value parent, std::string_view key) {
  Value value = parent[key];
  if (value.absent()) return std::nullopt;
  double read = 0;
  std::string_view text = value.text();
  auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), read);
  bool whole = fault == std::errc() && end == text.data() + text.size();
  if (value.is(ValueKind::Number) && whole && std::isfinite(read)) return read;
  error(value, describe(value), "a number" + without_quotes(value));
  return std::nullopt;
}

TimeUs FieldReader::time(Value parent, std::string_view key) {
  Value value = parent[key];
  if (value.absent()) return kNoTime;
  std::optional<TimeUs> time;
  if (value.is(ValueKind::String)) time = parse_timestamp(value.text());
  if (!time) {
    error(value, describe(value), "a time such as \"2026-01-01T12:00:00Z\"");
    return kNoTime;
  }
  see_time(*time);
  return *time;
}

std::optional<TimeUs> FieldReader::duration(Value value, DurationSign sign) {
  bool empty = value.absent() || (value.is(ValueKind::String) && value.text().empty());
  if (empty) return std::nullopt;
  std::optional<TimeUs> read;
  if (value.is(ValueKind::String)) read = parse_duration(value.text());
  if (read && (sign == DurationSign::Any || *read >= 0)) return read;
  error(value, describe(value),
        read ? "a duration that is not negative" : "a duration such as \"90s\" or \"1h30m\"");
  return std::nullopt;
}

void FieldReader::see_time(TimeUs time) { newest_ = std::max(newest_, time); }

Labels FieldReader::labels(Value parent, std::string_view key) {
  Labels labels;
  Value map = object(parent, key);
  labels.reserve(map.size());
  for (Value::Member member : map.members()) {
    if (!member.value.absent() && !member.value.is(ValueKind::String)) {
      error(member.value, describe(member.value), expected_string(member.value));
      continue;
    }
    if (member.value.text().size() > kLongestLabelValue) {
      error(member.value, describe(member.value),
            "at most " + std::to_string(kLongestLabelValue) + " characters in a label's value");
      continue;
    }
    labels.push_back({intern(member.key), intern(member.value.text())});
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::string_view FieldReader::word(Value parent, std::string_view key,
                                   std::span<const std::string_view> words) {
  Value value = parent[key];
  if (value.absent()) return {};
  if (value.is(ValueKind::String)) {
    auto found = std::find(words.begin(), words.end(), value.text());
    if (found != words.end()) return *found;
  }
  error(value, describe(value), alternatives(words), nearest_word(value.text(), words));
  return {};
}

int64_t FieldReader::amount(Value value, ResourceId resource, AmountOf of) {
  if (value.absent()) return 0;
  const std::string& name = vocabulary_.resources.name(resource);
  Unit unit = vocabulary_.resources.unit(resource);
  bool milli = unit == Unit::MilliCpu || unit == Unit::MilliGpu;
  int64_t most = of == AmountOf::One ? kMaxAmount : kMaxSum;
  std::optional<Quantity> read;
  if (!value.text().empty()) read = parse_quantity(value.text(), milli ? 3 : 0, most);
  if (!read) {
    error(value, describe(value), "a quantity such as \"500m\", \"2\" or \"16Gi\"");
    return 0;
  }
  if (read->negative) {
    error(value, describe(value), "a quantity that is not negative");
    return 0;
  }
  bool saturated = read->amount == most;
  bool whole = saturated || (read->exact && (unit != Unit::MilliGpu || read->amount % kMilli == 0));
  if (extended(name) && !whole) {
    std::string expected = "a whole number";
    if (unit == Unit::MilliGpu) expected += " (annotation gpu-fraction asks for a part of a GPU)";
    error(value, describe(value), std::move(expected));
    // Rounded up, since the pod or node holds at least that much.
    return unit == Unit::MilliGpu ? (read->amount + kMilli - 1) / kMilli * kMilli : read->amount;
  }
  return read->amount;
}

ResourceList FieldReader::resources(Value map, AmountOf of) {
  ResourceList list;
  for (Value::Member member : map.members()) {
    // Nodes list resources that they could have and do not have: these need no column.
    if (member.value.text() == "0") continue;
    ResourceId known = resource(member.value, member.key);
    if (known.valid()) list.set(known, amount(member.value, known, of));
  }
  return list;
}

ResourceId FieldReader::resource(Value at, std::string_view name) {
  ResourceTable& table = vocabulary_.resources;
  if (new_resources_ == NewResources::LeftOut) {
    ResourceId known = table.find(name);
    has_left_out_ = has_left_out_ || !known.valid();
    return known;
  }
  if (table.size() >= kMaxResources && !table.find(name).valid()) {
    error(at, "one more resource name",
          "at most " + std::to_string(kMaxResources) + " different ones in the input");
    return {};
  }
  return table.intern(name);
}

void FieldReader::known_keys(Value object, std::span<const std::string_view> words, bool strict) {
  constexpr size_t kFew = 6;
  for (Value::Member member : object.members()) {
    if (std::find(words.begin(), words.end(), member.key) != words.end()) continue;
    std::string near = nearest_word(member.key, words);
    std::string expected = words.size() > kFew ? "a key of this object" : alternatives(words);
    Finding finding{"the unknown key " + in_quotes(member.key), std::move(expected), near};
    if (strict || !near.empty()) {
      report_.error(member.at_key, std::move(finding));
    } else {
      report_.warning(member.at_key, std::move(finding));
    }
  }
}

void FieldReader::slips(Value object, std::span<const std::string_view> words) {
  for (Value::Member member : object.members()) {
    if (std::binary_search(words.begin(), words.end(), member.key)) continue;
    std::string near = nearest_word(member.key, words);
    if (near.empty()) continue;
    report_.warning(member.at_key,
                    {"the unknown key " + in_quotes(member.key), "a key of this object", near});
  }
}

}  // namespace trellis
