#include "server/objects/decode_quota.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/document/quantity.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 2> kGroupKeys = {"coveredResources", "flavors"};
constexpr std::array<std::string_view, 2> kFlavorKeys = {"name", "resources"};
constexpr std::array<std::string_view, 4> kQuotaKeys = {"name", "nominalQuota", "borrowingLimit",
                                                        "lendingLimit"};
constexpr std::array<std::string_view, 1> kSharingKeys = {"weight"};
constexpr uint32_t kMostGroups = 16;
constexpr uint32_t kMostInGroup = 64;
constexpr int kWeightDecimals = 9;
constexpr double kWeightUnit = 1e9;

class QuotaDecoder {
 public:
  QuotaDecoder(const QuotaOwner& owner, std::vector<PlacedName>& flavors, FieldReader& fields)
      : owner_(owner), flavors_(flavors), fields_(fields) {}

  std::vector<ResourceGroup> decode(Value spec) {
    Value groups = fields_.list(spec, "resourceGroups");
    check_size(groups, 0, kMostGroups, "resource groups");
    std::vector<ResourceGroup> result;
    for (Value item : groups.items()) {
      if (is_object(item)) result.push_back(decode_group(item));
    }
    return result;
  }

 private:
  bool is_object(Value item) {
    if (item.is(ValueKind::Object)) return true;
    fields_.error(item, describe(item), "an object");
    return false;
  }

  void check_size(Value list, uint32_t low, uint32_t high, std::string_view what) {
    if (!list.is(ValueKind::Array) || (list.size() >= low && list.size() <= high)) return;
    fields_.error(list, std::to_string(list.size()) + " " + std::string(what),
                  "from " + std::to_string(low) + " to " + std::to_string(high));
  }

  ResourceGroup decode_group(Value item) {
    ResourceGroup group;
    fields_.known_keys(item, kGroupKeys);
    for (std::string_view key : kGroupKeys) {
      if (item[key].absent()) fields_.missing(item, key, "a list that is not empty");
    }
    Value covered = fields_.list(item, "coveredResources");
    check_size(covered, 1, kMostInGroup, "resources");
    columns_.clear();
    for (Value name : covered.items()) {
      columns_.push_back(take_resource(name));
      if (columns_.back()) group.resources.push_back(*columns_.back());
    }
    Value flavors = fields_.list(item, "flavors");
    check_size(flavors, 1, kMostInGroup, "flavors");
    for (Value flavor : flavors.items()) {
      if (is_object(flavor)) take_flavor(flavor, covered, group);
    }
    return group;
  }

  std::optional<ResourceId> take_resource(Value name) {
    if (!name.is(ValueKind::String) || name.text().empty()) {
      fields_.error(name, describe(name), "the name of a resource");
      return std::nullopt;
    }
    ResourceId resource = fields_.resource(name, name.text());
    if (!resource.valid()) return std::nullopt;
    if (std::find(resources_.begin(), resources_.end(), resource) != resources_.end()) {
      fields_.error(name, in_quotes(name.text()) + " a second time",
                    "each resource in one group, once");
      return std::nullopt;
    }
    resources_.push_back(resource);
    return resource;
  }

  void take_flavor(Value item, Value covered, ResourceGroup& group) {
    fields_.known_keys(item, kFlavorKeys);
    std::optional<StrId> name = fields_.name(item, "name", "the name of a ResourceFlavor");
    auto same = [&](const PlacedName& other) { return other.name == name; };
    bool again = name && std::any_of(flavors_.begin(), flavors_.end(), same);
    if (again) {
      fields_.error(item["name"], in_quotes(item["name"].text()) + " a second time",
                    "each flavor in one group, once");
    }
    std::vector<ResourceQuota> quotas = decode_quotas(item, covered);
    if (!name || again) return;
    flavors_.push_back({*name, fields_.report().place(item["name"])});
    group.flavors.push_back({*name, std::move(quotas)});
  }

  std::vector<ResourceQuota> decode_quotas(Value item, Value covered) {
    std::vector<ResourceQuota> quotas;
    Value resources = fields_.list(item, "resources");
    if (resources.size() != covered.size()) {
      fields_.error(
          resources.exists() ? resources : item,
          std::to_string(resources.size()) + (resources.size() == 1 ? " resource" : " resources"),
          std::to_string(covered.size()) + ", as in coveredResources");
      return quotas;
    }
    size_t index = 0;
    for (Value quota : resources.items()) {
      if (is_object(quota)) check_name(quota, index, covered);
      if (columns_[index]) quotas.push_back(decode_quota(quota, *columns_[index]));
      ++index;
    }
    return quotas;
  }

  void check_name(Value quota, size_t index, Value covered) {
    Value expected;
    for (Value name : covered.items()) {
      if (index-- == 0) {
        expected = name;
        break;
      }
    }
    std::string_view name = fields_.string(quota, "name");
    if (name == expected.text()) return;
    std::string wanted = in_quotes(expected.text()) + ", as in coveredResources at this place";
    if (quota["name"].absent()) return fields_.missing(quota, "name", wanted);
    fields_.error(quota["name"], in_quotes(name), wanted);
  }

  ResourceQuota decode_quota(Value item, ResourceId resource) {
    ResourceQuota quota{.resource = resource, .borrowing_limit = {}, .lending_limit = {}};
    fields_.known_keys(item, kQuotaKeys);
    if (item.is(ValueKind::Object) && item["nominalQuota"].absent()) {
      fields_.missing(item, "nominalQuota", "a quantity");
    }
    quota.nominal = fields_.amount(item["nominalQuota"], resource, AmountOf::Many);
    quota.borrowing_limit = decode_limit(item, "borrowingLimit", resource);
    quota.lending_limit = decode_limit(item, "lendingLimit", resource);
    if (quota.lending_limit && *quota.lending_limit > quota.nominal) {
      fields_.error(item["lendingLimit"], describe(item["lendingLimit"]),
                    "a quantity that is not above the nominalQuota");
    }
    return quota;
  }

  std::optional<int64_t> decode_limit(Value item, std::string_view key, ResourceId resource) {
    Value value = item[key];
    if (value.absent()) return std::nullopt;
    if (owner_.sharing == QuotaSharing::Alone) {
      fields_.error(value, describe(value),
                    "no " + std::string(key) + " without " + std::string(owner_.named_by));
    }
    return fields_.amount(value, resource, AmountOf::Many);
  }

  const QuotaOwner& owner_;
  std::vector<PlacedName>& flavors_;
  FieldReader& fields_;
  std::vector<ResourceId> resources_;               // of all groups
  std::vector<std::optional<ResourceId>> columns_;  // of the group's coveredResources; none: error
};

}  // namespace

std::vector<ResourceGroup> decode_resource_groups(Value spec, const QuotaOwner& owner,
                                                  std::vector<PlacedName>& flavors,
                                                  FieldReader& fields) {
  return QuotaDecoder(owner, flavors, fields).decode(spec);
}

double decode_fair_weight(Value spec, FieldReader& fields) {
  Value sharing = fields.object(spec, "fairSharing");
  fields.known_keys(sharing, kSharingKeys);
  Value weight = sharing["weight"];
  if (weight.absent()) return 1.0;
  std::optional<Quantity> read = parse_quantity(weight.text(), kWeightDecimals);
  if (read && !read->negative) return static_cast<double>(read->amount) / kWeightUnit;
  fields.error(weight, describe(weight), "a quantity that is not negative, such as \"1\"");
  return 1.0;
}

}  // namespace trellis
