// v1 Pod, and the template from which a Job makes pods.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "server/document/field_reader.h"
#include "server/objects/decode_meta.h"
#include "server/objects/records.h"
#include "server/objects/spec_pool.h"

namespace trellis {

// Pods with one value of this label, and without an owner, are a service.
inline constexpr std::string_view kServiceLabel = "app";

class PodDecoder {
 public:
  PodDecoder(FieldReader& fields, SpecPool& specs) : fields_(fields), specs_(specs) {}

  PodRecord decode(NamedObject named);
  // The pod that the template of a Job makes: pending, without a name.
  PodRecord decode_template(Value pod_template);

 private:
  PodRecord decode_common(Value metadata, Value spec, Value status);
  void decode_status(Value object, PodRecord& record);
  void refer_to_makers(const PodRecord& record);
  void refer_to_workload(const PodRecord& record);
  void decode_labels(PodRecord& record);
  std::string_view app_of(const Labels& labels) const;
  void decode_demands(Value spec, Value status, PodSpec& pod);
  PodHold decode_gates(Value spec);
  std::vector<VolumeClaimUse> decode_volume_claims(Value metadata, Value spec, PodSpec& pod);
  void decode_host_use(Value spec, PodSpec& pod);

  FieldReader& fields_;
  SpecPool& specs_;
};

}  // namespace trellis
