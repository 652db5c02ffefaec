// metadata, of any object.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

inline constexpr std::array<std::string_view, 3> kPreemptibilityWords = {
    "preemptible", "non-preemptible", "semi-preemptible"};
// Unset: none of them.
Preemptibility preemptibility_of(std::string_view word);

inline constexpr std::string_view kDefaultNamespace = "default";

// "batch/v1" is group "batch"; "v1" is the core group "".
std::string_view api_group(std::string_view api_version);
std::string_view api_version_part(std::string_view api_version);

// An object whose head has been read.
struct NamedObject {
  Value object;
  Meta meta;
  std::string name;
};

// Everything but the name, which may be generated, and the owner, which most kinds do not need.
// `strict` is false for an object whose kind is not read: nothing about the object is reported.
Meta decode_meta(Value object, std::string_view group, std::string_view kind, bool namespaced,
                 bool strict, FieldReader& fields);

// The controller among metadata.ownerReferences, else the first of them; not valid: there is none.
ObjectKey decode_owner(Value metadata, StrId name_space, FieldReader& fields);
// All entries of metadata.ownerReferences that can be understood.
std::vector<ObjectKey> decode_owners(Value metadata, StrId name_space, FieldReader& fields);

// Reports a name that is missing or cannot be one.
bool check_name(Value object, std::string_view name, FieldReader& fields);

// The keys that describe an object's gang: each from metadata's annotations, else its labels.
GangKeys decode_gang_keys(Value metadata, FieldReader& fields, bool strict);

// An annotation, else a label of the same name; absent when neither is there.
Value annotation_or_label(Value metadata, std::string_view key);

// Reports annotations that are not strings, and keys that look like a misspelt key of ours.
void check_annotations(Value metadata, FieldReader& fields);

}  // namespace trellis
