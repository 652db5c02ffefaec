#include "server/objects/decode_topology_request.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "server/document/document_builder.h"
#include "server/document/json_scanner.h"
#include "server/document/quantity.h"
#include "server/objects/label_key.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 10> kRequestKeys = {
    "required",           "preferred",
    "unconstrained",      "podIndexLabel",
    "subGroupIndexLabel", "subGroupCount",
    "podSetGroupName",    "podSetSliceRequiredTopology",
    "podSetSliceSize",    "podsetSliceRequiredTopologyConstraints"};
constexpr std::array<std::string_view, 2> kLayerKeys = {"topology", "size"};
constexpr std::string_view kLowest = "auto";
constexpr std::string_view kModes = "one of required, preferred and unconstrained";

class RequestDecoder {
 public:
  RequestDecoder(const RequestBounds& bounds, FieldReader& fields)
      : bounds_(bounds), fields_(fields) {}

  PlacedRequest of_object(Value request) {
    of_workload_ = true;
    fields_.known_keys(request, kRequestKeys);
    for (std::string_view key : {"required", "preferred", "podSetGroupName", "podIndexLabel",
                                 "subGroupIndexLabel", "podSetSliceRequiredTopology"}) {
      fields_.string(request, key);
    }
    RequestPlaces& at = placed_.at;
    at = {request["required"],
          request["preferred"],
          request["unconstrained"],
          request["podSetGroupName"],
          request["podSetSliceRequiredTopology"],
          request["podSetSliceSize"],
          request["podsetSliceRequiredTopologyConstraints"]};
    TopologyRequest& wanted = placed_.request;
    wanted.unconstrained = fields_.boolean(request, "unconstrained");
    wanted.index_label = fields_.intern_if(request["podIndexLabel"].text());
    wanted.sub_group_label = fields_.intern_if(request["subGroupIndexLabel"].text());
    wanted.sub_groups =
        static_cast<int32_t>(fields_.integer(request, "subGroupCount", 0, INT32_MAX).value_or(0));
    take_words();
    std::optional<int64_t> size;
    if (!at.slice_size.absent()) {
      size = fields_.integer(request, "podSetSliceSize", 1, INT32_MAX);
    }
    take_slice(size);
    take_layers(fields_.list(request, "podsetSliceRequiredTopologyConstraints"));
    check();
    return std::move(placed_);
  }

  PlacedRequest of_annotations(const TopologyAnnotations& annotations) {
    auto word = [&](std::string_view key) { return annotations.of_pods[key]; };
    auto old_word = [&](std::string_view key) {
      Value value = annotations.of_pods[key];
      return value.absent() ? annotations.of_owner[key] : value;
    };
    RequestPlaces& at = placed_.at;
    at = {word("kueue.x-k8s.io/podset-required-topology"),
          word("kueue.x-k8s.io/podset-preferred-topology"),
          word("kueue.x-k8s.io/podset-unconstrained-topology"),
          word("kueue.x-k8s.io/podset-group-name"),
          word("kueue.x-k8s.io/podset-slice-required-topology"),
          word("kueue.x-k8s.io/podset-slice-size"),
          word("kueue.x-k8s.io/podset-slice-required-topology-constraints")};
    if (at.required.absent()) {
      at.required = old_word("kueue.x-k8s.io/require-topology");
      if (at.required.text() == kLowest) {
        fields_.error(at.required, describe(at.required),
                      "a level (auto is for prefer-topology alone)");
      }
    }
    if (at.preferred.absent()) at.preferred = old_word("kueue.x-k8s.io/prefer-topology");
    take_unconstrained();
    placed_.request.index_offset = decode_index_offset(annotations.of_pods, fields_);
    placed_.request.balanced = decode_balance(annotations.of_pods, fields_) ||
                               decode_balance(annotations.of_owner, fields_);
    take_words();
    take_slice(size_word());
    take_layer_text();
    check();
    return std::move(placed_);
  }

 private:
  // An annotation with any other value than "false" counts as true: its writer set it on purpose.
  void take_unconstrained() {
    Value value = placed_.at.unconstrained;
    if (value.absent()) return;
    placed_.request.unconstrained = value.text() != "false";
    if (value.text() != "true" && value.text() != "false") {
      fields_.error(value, describe(value), "\"true\" or \"false\"");
    }
  }

  StrId label(Value value) {
    if (value.absent() || !value.is(ValueKind::String)) return {};
    if (!is_label_key(value.text())) {
      fields_.error(value, describe(value), std::string(kLabelKeyWanted));
      return {};
    }
    return fields_.intern(value.text());
  }

  void take_words() {
    placed_.request.required = label(placed_.at.required);
    placed_.request.preferred = label(placed_.at.preferred);
    Value group = placed_.at.group;
    placed_.request.group = fields_.intern_if(group.text());
    if (group.is(ValueKind::String) && to_integer(group.text())) {
      fields_.error(group, describe(group), "a name that is not a number");
    }
  }

  std::optional<int64_t> size_word() {
    Value value = placed_.at.slice_size;
    if (value.absent()) return std::nullopt;
    std::optional<int64_t> size = to_integer(value.text());
    if (size && *size >= 1 && *size <= INT32_MAX) return size;
    fields_.error(value, describe(value), "a whole number from 1, as a string");
    return std::nullopt;
  }

  void take_slice(std::optional<int64_t> size) {
    const RequestPlaces& at = placed_.at;
    StrId level = label(at.slice_topology);
    if (at.slice_topology.absent()) {
      if (!at.slice_size.absent()) {
        fields_.error(at.slice_size, "a slice size without a slice topology",
                      "the level that the pods of a slice share");
      }
      return;
    }
    if (at.slice_size.absent() && bounds_.pods_of_a_slice > 0) size = bounds_.pods_of_a_slice;
    // Kueue never reads the slices of a group's leader.
    bool ignored = of_workload_ && !at.group.absent();
    if (at.slice_size.absent() && !size && !ignored) {
      fields_.error(at.slice_topology, "a slice topology without a slice size",
                    "the number of pods of a slice");
    }
    if (!size || !level.valid()) return;
    if (*size > bounds_.pods) too_large(at.slice_size, *size);
    placed_.request.segments.push_back({static_cast<int32_t>(*size), level, {}});
  }

  void too_large(Value at, int64_t size) {
    fields_.error(at, "slices of " + std::to_string(size) + " pods",
                  "at most " + std::to_string(bounds_.pods) + ", the pods of the PodSet");
  }

  void take_layer_text() {
    Value value = placed_.at.layers;
    if (value.absent()) return;
    std::string text(value.text());
    Document document;
    DocumentBuilder builder(document);
    JsonScanner scanner(text);
    bool read = scanner.read_value(builder) && scanner.peek() == '\0' && scanner.at_end();
    if (!read || !document.root().is(ValueKind::Array)) {
      fields_.error(value, describe(value), R"(JSON such as [{"topology":"LABEL","size":4}])");
      return;
    }
    take_layers(document.root());
  }

  // The values of an annotation are in a document of their own, so that their errors are reported
  // at the annotation.
  void complain(Value item, std::string found, std::string expected) {
    Value at = placed_.at.layers.is(ValueKind::String) ? placed_.at.layers : item;
    fields_.error(at, std::move(found), std::move(expected));
  }

  void take_layers(Value layers) {
    if (layers.absent()) return;
    if (layers.size() == 0 || layers.size() > kMostSegmentLayers) {
      complain(layers, std::to_string(layers.size()) + " layers", "from 1 to 3");
      return;
    }
    std::vector<SegmentLayer> segments;
    for (Value item : layers.items()) {
      if (!take_layer(item, segments)) return;
    }
    if (segments.front().size > bounds_.pods) too_large(placed_.at.layers, segments.front().size);
    if (placed_.request.segments.empty()) placed_.request.segments = std::move(segments);
  }

  bool take_layer(Value item, std::vector<SegmentLayer>& segments) {
    Value level = item["topology"];
    if (!level.is(ValueKind::String) || !is_label_key(level.text())) {
      complain(level.exists() ? level : item, level.absent() ? "no topology" : describe(level),
               std::string(kLabelKeyWanted));
      return false;
    }
    Value size = item["size"];
    std::optional<int64_t> pods;
    if (size.is(ValueKind::Number)) pods = to_integer(size.text());
    if (!pods || *pods < 1 || *pods > INT32_MAX) {
      complain(size.exists() ? size : item, size.absent() ? "no size" : describe(size),
               "a whole number from 1");
      return false;
    }
    StrId name = fields_.intern(level.text());
    auto same = [&](const SegmentLayer& layer) { return layer.required == name; };
    if (std::any_of(segments.begin(), segments.end(), same)) {
      complain(level, in_quotes(level.text()) + " a second time", "each topology once");
      return false;
    }
    if (!segments.empty() && segments.back().size % *pods != 0) {
      complain(size, describe(size),
               "a number that divides " + std::to_string(segments.back().size) +
                   ", the size of the layer before");
      return false;
    }
    segments.push_back({static_cast<int32_t>(*pods), name, {}});
    return true;
  }

  void check() {
    const RequestPlaces& at = placed_.at;
    std::vector<std::pair<Value, const char*>> modes;
    if (!at.required.absent()) modes.emplace_back(at.required, "required");
    if (!at.preferred.absent()) modes.emplace_back(at.preferred, "preferred");
    if (placed_.request.unconstrained) modes.emplace_back(at.unconstrained, "unconstrained");
    if (modes.size() > 1) {
      fields_.error(modes[1].first, std::string(modes[1].second) + " beside " + modes[0].second,
                    std::string(kModes));
    }
    bool pair = !at.slice_topology.absent() || !at.slice_size.absent();
    if (!at.layers.absent() && pair) {
      fields_.error(at.layers, "slice constraints beside a slice topology or size",
                    "one of the two");
    }
    if (at.group.absent()) return;
    if (!of_workload_ && (pair || !at.layers.absent())) {
      fields_.error(at.group, "a group of PodSets with slices", "one of the two");
    }
    if (at.required.absent() && at.preferred.absent()) {
      fields_.error(at.group, "a group of PodSets without a level",
                    "a required or a preferred level beside it");
    }
  }

  const RequestBounds& bounds_;
  FieldReader& fields_;
  bool of_workload_ = false;  // in a Workload Kueue accepts more than in annotations
  PlacedRequest placed_;
};

std::string mode_text(const TopologyRequest& request, const StringTable& strings) {
  if (request.required.valid()) return "required " + in_quotes(strings.view(request.required));
  if (request.preferred.valid()) return "preferred " + in_quotes(strings.view(request.preferred));
  return "no level";
}

}  // namespace

PlacedRequest decode_topology_request(Value request, const RequestBounds& bounds,
                                      FieldReader& fields) {
  return RequestDecoder(bounds, fields).of_object(request);
}

PlacedRequest decode_topology_annotations(const TopologyAnnotations& annotations,
                                          const RequestBounds& bounds, FieldReader& fields) {
  return RequestDecoder(bounds, fields).of_annotations(annotations);
}

int32_t decode_index_offset(Value annotations, FieldReader& fields) {
  Value value = annotations["kueue.x-k8s.io/pod-index-offset"];
  if (value.absent()) return 0;
  std::optional<int64_t> offset = to_integer(value.text());
  if (offset && *offset >= 0 && *offset <= INT32_MAX) return static_cast<int32_t>(*offset);
  fields.error(value, describe(value), "a whole number from 0, as a string");
  return 0;
}

bool decode_balance(Value annotations, FieldReader& fields) {
  Value value = annotations["trellis.scheduler/topology-balance"];
  if (!value.absent() && value.text() != "true" && value.text() != "false") {
    fields.error(value, describe(value), "\"true\" or \"false\"");
  }
  return value.text() == "true";
}

void check_request_groups(const std::vector<PlacedRequest>& requests,
                          const std::vector<PodSet>& pod_sets, FieldReader& fields) {
  const StringTable& strings = fields.vocabulary().strings;
  for (size_t i = 0; i < requests.size(); ++i) {
    const TopologyRequest& first = requests[i].request;
    if (!first.group.valid()) continue;
    std::vector<size_t> members;
    for (size_t j = 0; j < requests.size(); ++j) {
      if (requests[j].request.group == first.group) members.push_back(j);
    }
    if (members.front() != i) continue;
    Value at = requests[i].at.group;
    if (members.size() != 2) {
      std::string found = members.size() == 1
                              ? "a group of one PodSet"
                              : "a group of " + std::to_string(members.size()) + " PodSets";
      fields.error(at, std::move(found), "groups of exactly 2: workers and their leader");
      continue;
    }
    const PlacedRequest& second = requests[members[1]];
    if (pod_sets[i].count != 1 && pod_sets[members[1]].count != 1) {
      fields.error(at, "a group without a PodSet of one pod", "workers and one leader");
    }
    bool same =
        first.required == second.request.required && first.preferred == second.request.preferred;
    if (!same) {
      fields.error(second.at.group, mode_text(second.request, strings),
                   mode_text(first, strings) + ", as the other PodSet of its group");
    }
  }
}

}  // namespace trellis
