// Objects of resource.k8s.io, from documents to the records of devices/.
//
// Versions v1 and v1beta2 have the same form; of v1beta1 requests and devices that are written in
// its own form are read, too. A field of another type is reported, and reads as if it were absent;
// other rules of the API server are not checked again.
#pragma once

#include "devices/model.h"
#include "server/document/document.h"
#include "server/document/field_reader.h"

namespace trellis {

devices::Slice decode_slice(Value object, FieldReader& fields);
devices::Class decode_device_class(Value object, FieldReader& fields);
devices::TaintRule decode_taint_rule(Value object, FieldReader& fields);
devices::Claim decode_device_claim(Value object, FieldReader& fields);
// `spec` of a claim, or `spec.spec` of a template.
void decode_claim_spec(Value spec, devices::Claim& claim, FieldReader& fields);

}  // namespace trellis
