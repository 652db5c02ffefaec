#include "server/view/numa_zones.h"

#include <nlohmann/json.hpp>

#include "plugins/numa/numa_hint.h"

namespace trellis {

void write_numa_zones(DocumentWriter& out, const std::vector<BindNote>& notes) {
  using Json = nlohmann::ordered_json;
  for (const BindNote& note : notes) {
    if (note.key != kNumaHint) continue;
    Json containers = Json::parse(note.value, nullptr, false);
    if (!containers.is_object()) continue;
    out.begin_object("numaZones");
    for (const auto& [name, zones] : containers.items()) {
      out.begin_array(name);
      for (const Json& zone : zones) out.integer(zone.get<int64_t>());
      out.end_array();
    }
    out.end_object();
  }
}

}  // namespace trellis
