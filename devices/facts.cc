#include "devices/facts.h"

#include <utility>

namespace trellis::devices {
namespace {

// A text that only equal values of one type have.
std::string identity(const cel::Value& value) {
  switch (value.kind()) {
    case cel::Kind::Int:
      return "i" + std::to_string(value.int_value());
    case cel::Kind::Bool:
      return value.is_true() ? "t" : "f";
    case cel::Kind::Semver:
      return "v" + value.semver().text();
    default:
      return "s" + value.text();
  }
}

std::string identity_of_attribute(const cel::Value& value) {
  if (!value.is(cel::Kind::List)) return identity(value);
  std::string text = "l";
  for (const cel::Value& item : value.items()) {
    std::string part = identity(item);
    text.append(std::to_string(part.size())).append(":").append(part);
  }
  return text;
}

// Is `name`, as written by a device of the driver, what an expression reads?
bool is_read(const cel::ReadName& read, std::string_view name, std::string_view driver) {
  std::string_view domain = read.domain.empty() ? driver : std::string_view(read.domain);
  size_t slash = name.find('/');
  if (slash == std::string_view::npos) return domain == driver && name == read.name;
  return name.substr(0, slash) == domain && name.substr(slash + 1) == read.name;
}

// "": the device has no such attribute or capacity.
std::string value_of(const KnownDevice& known, const cel::ReadName& read) {
  if (read.of_capacity) {
    for (const Capacity& capacity : known.device->capacity) {
      if (is_read(read, capacity.name, known.id.driver)) return "q" + capacity.value.text();
    }
    return "";
  }
  for (const Attribute& attribute : known.device->attributes) {
    if (is_read(read, attribute.name, known.id.driver))
      return identity_of_attribute(attribute.value);
  }
  return "";
}

}  // namespace

cel::Device facts_of(const KnownDevice& device) {
  cel::Device facts;
  facts.driver = device.id.driver;
  facts.allows_many_allocations = device.device->shared;
  cel::DomainMap attributes(facts.driver);
  for (const Attribute& attribute : device.device->attributes) {
    attributes.add(attribute.name, attribute.value);
  }
  cel::DomainMap capacity(facts.driver);
  for (const Capacity& amount : device.device->capacity) {
    capacity.add(amount.name, cel::Value::quantity(amount.value));
  }
  facts.attributes = attributes.finish();
  facts.capacity = capacity.finish();
  return facts;
}

FactColumns::Column FactColumns::number(std::span<const std::string> texts) const {
  absl::flat_hash_map<std::string_view, uint32_t> numbers;
  Column column;
  column.reserve(texts.size());
  for (const std::string& text : texts) {
    auto number = static_cast<uint32_t>(numbers.size());
    column.push_back(numbers.try_emplace(text, number).first->second);
  }
  return column;
}

const FactColumns::Column& FactColumns::column(const cel::ReadName& read) {
  auto [at, added] = columns_.try_emplace(read);
  if (!added) return at->second;
  std::vector<std::string> texts;
  texts.reserve(devices_.size());
  for (const KnownDevice& device : devices_) texts.push_back(value_of(device, read));
  at->second = number(texts);
  return at->second;
}

const FactColumns::Column& FactColumns::drivers() {
  if (!drivers_.empty()) return drivers_;
  std::vector<std::string> texts;
  texts.reserve(devices_.size());
  for (const KnownDevice& device : devices_) texts.push_back(device.id.driver);
  drivers_ = number(texts);
  return drivers_;
}

FactColumns::Column FactColumns::sharing() const {
  Column column;
  column.reserve(devices_.size());
  for (const KnownDevice& device : devices_) column.push_back(device.device->shared ? 1 : 0);
  return column;
}

std::vector<uint32_t> FactColumns::groups(const cel::Reads& reads) {
  Column groups(devices_.size(), 0);
  if (reads.everything) {
    for (uint32_t i = 0; i < groups.size(); ++i) groups[i] = i;
    return groups;
  }
  auto refine = [&](const Column& column) {
    absl::flat_hash_map<uint64_t, uint32_t> numbers;
    for (size_t i = 0; i < groups.size(); ++i) {
      uint64_t key = uint64_t{groups[i]} << 32U | column[i];
      groups[i] = numbers.try_emplace(key, static_cast<uint32_t>(numbers.size())).first->second;
    }
  };
  // Bare names are the driver's, so what an expression reads of a device depends on the driver.
  if (reads.driver) refine(drivers());
  if (reads.sharing) refine(sharing());
  for (const cel::ReadName& read : reads.names) refine(column(read));
  return groups;
}

}  // namespace trellis::devices
