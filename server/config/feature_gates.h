// Kueue's feature gates, as far as a configuration may name them.
#pragma once

#include "framework/config.h"
#include "server/config/config_fields.h"
#include "server/document/document.h"

namespace trellis {

// Warns of each gate of `gates` that changes nothing: Kueue has none of that name, or nothing here
// reads it, or the profile is not Kueue's.
void warn_of_feature_gates(Value gates, PlacementProfile profile, ConfigFields::Report& report);

}  // namespace trellis
