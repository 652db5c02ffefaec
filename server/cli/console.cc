#include "server/cli/console.h"

#include <string>

namespace trellis {

void Console::complain(std::string_view message) {
  err.write(styled("trellis:", Style::Bad, err_colours).append(" ").append(message).append("\n"));
}

}  // namespace trellis
