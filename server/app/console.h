// The program's output and error streams: whether each is a terminal, and what is shown there while
// input is read.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/text/byte_sink.h"
#include "server/text/style.h"
#include "server/view/bar.h"
#include "server/view/text_table.h"

namespace trellis {

// Whether the rows of a table are cut where a terminal ends.
enum class TableWidth : uint8_t { Fit, Whole };

struct Console {
  ByteSink& out;  // results
  ByteSink& err;  // everything else
  Colours out_colours = Colours::Off;
  Colours err_colours = Colours::Off;
  Glyphs glyphs = Glyphs::Unicode;
  bool err_is_terminal = false;
  size_t out_columns = 0;  // of the terminal that `out` is; 0: it is none

  TableForm form(TableWidth width) const {
    return {out_colours, width == TableWidth::Fit ? out_columns : 0};
  }

  // Writes the text form of an answer, for people, to out.
  void print(std::string_view text);
  // Writes one line to err: "trellis: MESSAGE".
  void complain(std::string_view message);
};

// The exit codes of the program.
enum ExitCode : int {
  kDone = 0,
  kFailure = 1,
  kNo = 1,        // the answer of `fit`
  kBadInput = 2,  // or bad usage
  kUnscheduled = 3,
};

// Shows the progress of reading, or of a simulation, on a terminal, once it takes longer than a
// second.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `start`: when it began. The destructor wipes the line.
  Progress(Console& console, Clock::time_point start) : console_(console), start_(start) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `bytes_total` 0: not known, as for standard input.
  void update(int64_t bytes_done, int64_t bytes_total, Clock::time_point now);
  void update_gangs(size_t done, size_t all, Clock::time_point now);

 private:
  bool is_due(Clock::time_point now);

  Console& console_;
  Clock::time_point start_;
  Clock::time_point drawn_{};
  bool shown_ = false;
};

}  // namespace trellis
