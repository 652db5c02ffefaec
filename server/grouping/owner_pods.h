// The pods, and the owners of pods, that the controller of an object makes from its templates, by
// the table of owner_pods.cc: counts, names and labels as the controller gives them.
#pragma once

#include <cstdint>
#include <string_view>

#include "server/document/document.h"
#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/records.h"

namespace trellis {

// Sets `pods`, `made` and `schedule` of the record, whose meta is known. Nothing is set for a kind
// that is not in the table, and for an object that is suspended or has finished. Errors in
// templates are reported.
void read_owner_pods(Value object, std::string_view api_version, OwnerRecord& record,
                     PodDecoder& pods, FieldReader& fields, bool keep_raw);

// The template's pod; null: there is no template, and `parent` is reported.
std::shared_ptr<const PodTemplateRecord> read_pod_template(Value pod_template, PodDecoder& pods,
                                                           bool keep_raw);

}  // namespace trellis
