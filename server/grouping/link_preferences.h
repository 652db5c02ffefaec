// A gang's placement preferences: annotations `trellis.scheduler/placement-preferences`
// and `trellis.scheduler/max-pods-per-node`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/placement_preference.h"
#include "framework/reason.h"
#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

class PreferenceLinker {
 public:
  explicit PreferenceLinker(FieldReader& fields) : fields_(fields) {}

  // The preferences, without a service. A wrong value is reported, appended to `errors`, and
  // requests nothing.
  PlacementPreferences parse(const PreferenceKeys& keys, std::vector<Reason>& errors);

 private:
  std::vector<PlacementPreference> parse_list(const PlacedWord& word, std::vector<Reason>& errors);
  void fail(const PlacedWord& word, Finding finding, std::vector<Reason>& errors);

  FieldReader& fields_;
};

}  // namespace trellis
