#include "server/app/console.h"

#include <string>

#include "server/text/printable.h"

namespace trellis {

void Console::print(std::string_view text) { out.write(printable_lines(text, out_colours)); }

void Console::complain(std::string_view message) {
  std::string line = styled("trellis:", Style::Bad, err_colours).append(" ").append(message);
  err.write(printable_lines(line, err_colours).append("\n"));
}

}  // namespace trellis
