// Kueue's feature gates that a configuration may name.
#pragma once

#include "framework/config.h"
#include "server/config/config_fields.h"
#include "server/document/document.h"

namespace trellis {

// Warns of each gate of `gates` that has no effect: Kueue has no gate of this name, or this program
// does not read it, or the profile is not Kueue's.
void warn_of_feature_gates(Value gates, PlacementProfile profile, ConfigFields::Report& report);

}  // namespace trellis
