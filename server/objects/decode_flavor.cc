#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "server/objects/decode_selectors.h"
#include "server/objects/decoders.h"
#include "server/objects/label_key.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 4> kFlavorSpecKeys = {"nodeLabels", "nodeTaints",
                                                             "tolerations", "topologyName"};
constexpr uint32_t kMost = 8;

void check_size(Value list, std::string_view what, FieldReader& fields) {
  if (list.size() <= kMost) return;
  fields.error(list, std::to_string(list.size()) + " " + std::string(what),
               "at most " + std::to_string(kMost));
}

void check_keys(Value labels, FieldReader& fields) {
  for (Value::Member member : labels.members()) {
    if (is_label_key(member.key)) continue;
    fields.error(member.at_key, in_quotes(member.key), std::string(kLabelKeyWanted));
  }
}

}  // namespace

FlavorRecord decode_flavor(NamedObject named, FieldReader& fields) {
  FlavorRecord record{std::move(named.meta)};
  record.flavor.name = std::move(named.name);
  fields.known_keys(named.object, kObjectKeys);
  Value spec = fields.object(named.object, "spec");
  fields.known_keys(spec, kFlavorSpecKeys);
  record.flavor.node_labels = fields.labels(spec, "nodeLabels");
  check_keys(spec["nodeLabels"], fields);
  record.flavor.taints = decode_taint_list(fields.list(spec, "nodeTaints"), fields);
  record.flavor.tolerations = decode_tolerations(spec, fields);
  check_size(spec["nodeLabels"], "labels", fields);
  check_size(spec["nodeTaints"], "taints", fields);
  check_size(spec["tolerations"], "tolerations", fields);
  record.flavor.topology = fields.intern_if(fields.string(spec, "topologyName"));
  if (record.flavor.topology.valid()) {
    record.topology = fields.report().place(spec["topologyName"]);
    Value labels = spec["nodeLabels"];
    if (labels.absent() || (labels.is(ValueKind::Object) && labels.size() == 0)) {
      fields.missing(spec, "nodeLabels", "at least one node label, as topologyName is set");
    }
  }
  return record;
}

}  // namespace trellis
