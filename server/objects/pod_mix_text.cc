#include "server/objects/pod_mix_text.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace trellis {
namespace {

using MixJson = nlohmann::ordered_json;

constexpr int64_t kMostCounted = int64_t{1} << 52;
constexpr int64_t kMostMixGpus = 1'000'000;

MixJson shape_json(const PodShape& shape) {
  MixJson row = {{"cpuMilli", shape.cpu_milli}, {"memoryBytes", shape.memory_bytes}};
  if (shape.devices == 0) return row;
  row["gpus"] = shape.devices;
  if (shape.portion != kMilli) row["gpuMilli"] = shape.portion;
  if (shape.models == kAnyModel) return row;
  MixJson models = MixJson::array();
  for (int32_t bit = 0; bit <= kOtherModel; ++bit) {
    if ((shape.models >> bit & 1) != 0) models.push_back(bit);
  }
  row["models"] = std::move(models);
  return row;
}

// Reads a number that is not negative and has a bound.
class RowReader {
 public:
  RowReader(Value row, FieldReader& fields) : row_(row), fields_(fields) {}

  bool sound() const { return sound_; }

  int64_t whole(const char* key, int64_t low, int64_t high, int64_t otherwise) {
    if (row_[key].absent()) return otherwise;
    std::optional<int64_t> read = fields_.integer(row_, key, low, high);
    sound_ = sound_ && read.has_value();
    return read.value_or(otherwise);
  }
  double number(const char* key) {
    if (row_[key].absent()) return 0;
    std::optional<double> read = fields_.number(row_, key);
    if (read && *read < 0) fields_.error(row_[key], "a negative number", "a number of at least 0");
    sound_ = sound_ && read.value_or(-1) >= 0;
    return read.value_or(0);
  }
  PodShape shape() {
    PodShape shape;
    shape.cpu_milli = whole("cpuMilli", 0, kMaxAmount, 0);
    shape.memory_bytes = whole("memoryBytes", 0, kMaxAmount, 0);
    shape.devices = static_cast<int32_t>(whole("gpus", 0, kMostMixGpus, 0));
    shape.portion = static_cast<int32_t>(whole("gpuMilli", 1, kMilli, kMilli));
    if (!row_["models"].absent()) shape.models = models();
    return shape;
  }

 private:
  GpuModels models() {
    GpuModels models = 0;
    for (Value item : fields_.list(row_, "models").items()) {
      std::string_view text = item.text();
      bool digits = !text.empty() && text.size() <= 2 &&
                    text.find_first_not_of("0123456789") == std::string_view::npos;
      int bit = digits ? std::stoi(std::string(text)) : -1;
      if (bit < 0 || bit > kOtherModel) {
        fields_.error(item, describe(item), "the place of a model, 0 to 63");
        sound_ = false;
        continue;
      }
      models |= GpuModels{1} << bit;
    }
    return models;
  }

  Value row_;
  FieldReader& fields_;
  bool sound_ = true;
};

std::vector<std::string> read_models(Value object, FieldReader& fields) {
  std::vector<std::string> names;
  for (Value item : fields.list(object, "models", kNoModel).items()) {
    if (!item.is(ValueKind::String)) fields.error(item, describe(item), "the name of a model");
    names.emplace_back(item.text());
  }
  return names;
}

}  // namespace

std::string pod_mix_text(const LearnedMix& mix) {
  MixJson arrived = MixJson::array();
  for (const ArrivedPods& pods : mix.arrived) {
    MixJson row = shape_json(pods.shape);
    row["pods"] = pods.pods;
    if (pods.present > 0) row["present"] = pods.present;
    arrived.push_back(std::move(row));
  }
  MixJson typical = MixJson::array();
  for (const TypicalPod& pod : mix.typical) {
    MixJson row = shape_json(pod.shape);
    row["part"] = pod.part;
    row["weight"] = pod.weight;
    if (pod.large) row["large"] = true;
    typical.push_back(std::move(row));
  }
  MixJson object = {
      {"pods", mix.pods},     {"nextTypical", mix.next_typical}, {"nextWeights", mix.next_weights},
      {"models", mix.models}, {"arrived", std::move(arrived)},   {"typical", std::move(typical)}};
  return object.dump(-1, ' ', false, MixJson::error_handler_t::replace);
}

LearnedMix read_pod_mix(Value object, FieldReader& fields) {
  LearnedMix mix;
  RowReader counters(object, fields);
  mix.pods = counters.whole("pods", 0, kMostCounted, 0);
  mix.next_typical = counters.whole("nextTypical", 0, kMostCounted, 0);
  mix.next_weights = counters.whole("nextWeights", 0, kMostCounted, 0);
  mix.models = read_models(object, fields);
  for (Value item : fields.list(object, "arrived").items()) {
    RowReader row(item, fields);
    ArrivedPods pods{row.shape(), row.number("pods"), row.whole("present", 0, kMostCounted, 0)};
    if (row.sound()) mix.arrived.push_back(pods);
  }
  for (Value item : fields.list(object, "typical").items()) {
    RowReader row(item, fields);
    TypicalPod pod{row.shape(), row.number("part"), row.number("weight"),
                   fields.boolean(item, "large")};
    if (row.sound()) mix.typical.push_back(pod);
  }
  return mix;
}

}  // namespace trellis
