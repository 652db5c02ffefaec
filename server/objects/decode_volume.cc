#include "server/objects/decode_selectors.h"
#include "server/objects/decoders.h"

namespace trellis {

ClaimRecord decode_claim(Value object, FieldReader& fields) {
  ClaimRecord record;
  record.volume = fields.intern_if(fields.string(fields.object(object, "spec"), "volumeName"));
  return record;
}

VolumeRecord decode_volume(Value object, FieldReader& fields) {
  VolumeRecord record;
  Value affinity = fields.object(fields.object(object, "spec"), "nodeAffinity");
  Value required = fields.object(affinity, "required");
  if (!required.absent()) {
    record.terms.emplace();
    if (required["nodeSelectorTerms"].absent()) {
      fields.missing(required, "nodeSelectorTerms", "a list of terms");
    }
    for (Value term : fields.list(required, "nodeSelectorTerms").items()) {
      record.terms->push_back(decode_selector_term(term, fields));
    }
  }
  return record;
}

std::string volume_claim(Value volume, std::string_view pod) {
  bool is_made = volume["ephemeral"].is(ValueKind::Object) && !pod.empty();
  if (is_made) return std::string(pod) + "-" + std::string(volume["name"].text());
  return std::string(volume["persistentVolumeClaim"]["claimName"].text());
}

}  // namespace trellis
