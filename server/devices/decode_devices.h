// Objects of resource.k8s.io, from documents to the records of devices/.
//
// Versions v1 and v1beta2 have the same form; of v1beta1 requests and devices that are written in
// its own form are read, too. What the API server checks is not checked again: a field of another
// type reads as if it were absent.
#pragma once

#include "devices/model.h"
#include "server/document/document.h"

namespace trellis {

devices::Slice decode_slice(Value object);
devices::Class decode_device_class(Value object);
devices::TaintRule decode_taint_rule(Value object);
devices::Claim decode_device_claim(Value object);
// `spec` of a claim, or `spec.spec` of a template.
void decode_claim_spec(Value spec, devices::Claim& claim);

}  // namespace trellis
