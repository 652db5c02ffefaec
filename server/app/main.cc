// trellis: the process around the program.

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "framework/check.h"
#include "server/app/caller.h"
#include "server/app/commands.h"

namespace {

using trellis::Colours;
using trellis::Glyphs;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Colours colours_of(int fd) {
  bool wanted = environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return wanted && ::isatty(fd) == 1 ? Colours::On : Colours::Off;
}

// Bars are drawn in Unicode unless the locale does not support it.
Glyphs glyphs() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string_view locale = environment(name);
    if (!locale.empty())
      return locale == "C" || locale == "POSIX" ? Glyphs::Ascii : Glyphs::Unicode;
  }
  return Glyphs::Unicode;
}

// The columns of a terminal, or as COLUMNS says; 0: neither is known.
size_t columns_of(int fd) {
  struct winsize size {};
  if (::isatty(fd) == 1 && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  std::string_view text = environment("COLUMNS");
  size_t columns = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), columns);
  bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole ? columns : 0;
}

bool is_piped(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode));
}

// The terminate handler of every thread: an exception that is not caught ends the process here.
[[noreturn]] void end_with_a_message() {
  std::string what = "no exception";
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& failure) {
    what = failure.what();
  } catch (...) {
    what = "an exception of an unknown type";
  }
  trellis::FileSink err(STDERR_FILENO);
  err.write("trellis: ended by an error that nothing handled: " + what +
            "; this is a defect of trellis: please report it with this line\n");
  std::_Exit(trellis::kFailure);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_with_a_message);
  // A reader that ends early (`| head`) causes a failed write, and no signal.
  std::signal(SIGPIPE, SIG_IGN);
  trellis::FileSink out(STDOUT_FILENO);
  trellis::FileSink err(STDERR_FILENO);
  trellis::Console console{.out = out,
                           .err = err,
                           .out_colours = colours_of(STDOUT_FILENO),
                           .err_colours = colours_of(STDERR_FILENO),
                           .glyphs = glyphs(),
                           .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
                           .out_columns = columns_of(STDOUT_FILENO)};
  int code = trellis::kFailure;
  try {
    trellis::Caller caller = trellis::caller_of(argc > 0 ? argv[0] : "", ::getenv);
    caller.has_piped_input = is_piped(STDIN_FILENO);
    code = trellis::run_program(std::vector<std::string>(argv + std::min(argc, 1), argv + argc),
                                console, caller);
  } catch (const std::bad_alloc&) {
    console.complain("out of memory");
  } catch (const trellis::BrokenCheck& broken) {
    console.complain(broken.what());
    console.complain(
        "this is a fault of trellis, not of the input: nothing was decided. Please report it with "
        "the command, the files that -f named and 'trellis version'; what --save wrote of the "
        "cycle before will do, too");
  } catch (const std::exception& failure) {
    console.complain(failure.what());
  } catch (...) {
    console.complain("ended by an exception of an unknown type");
  }
  if (out.outcome() == trellis::WriteOutcome::Failed) {
    console.complain("cannot write the output: " + out.error());
    code = trellis::kFailure;
  }
  return code;
}
