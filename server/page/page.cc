#include "server/page/page.h"

#include "server/page/page_files.h"

namespace trellis {

std::span<const PagePart> page_parts() { return kPageParts; }

}  // namespace trellis
