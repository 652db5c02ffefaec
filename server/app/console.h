// The program's output and error streams, and whether each is a terminal.
#pragma once

#include <string_view>

#include "server/text/byte_sink.h"
#include "server/text/style.h"
#include "server/view/bar.h"

namespace trellis {

struct Console {
  ByteSink& out;  // results
  ByteSink& err;  // everything else
  Colours out_colours = Colours::Off;
  Colours err_colours = Colours::Off;
  Glyphs glyphs = Glyphs::Unicode;
  bool err_is_terminal = false;

  // Writes the text form of an answer, for people, to out.
  void print(std::string_view text);
  // Writes one line to err: "trellis: MESSAGE".
  void complain(std::string_view message);
};

// The exit codes of the program.
enum ExitCode : int {
  kDone = 0,
  kFailure = 1,
  kBadInput = 2,  // or bad usage
  kUnscheduled = 3,
};

}  // namespace trellis
