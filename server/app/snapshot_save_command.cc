#include <algorithm>
#include <optional>
#include <string>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/manifest/make_snapshot.h"
#include "server/system/whole_file.h"
#include "server/wording/quantity_text.h"

namespace trellis {
namespace {

// Why the file was not written: it is unchanged then.
std::optional<Error> write_snapshot(const std::string& file, const std::string& bytes) {
  Result<ReplacedFile> written = ReplacedFile::begin(file);
  if (!written) return written.error();
  written->sink().write(bytes);
  return written->finish();
}

}  // namespace

ExitCode run(const SnapshotSaveArguments& arguments, Console& console) {
  std::optional<InputTexts> texts = list_live(arguments.input, console);
  if (!texts) return kBadInput;
  ReadOptions options{.texts = texts->live, .standard_input = {}};
  MadeSnapshot made = make_snapshot(arguments.input.files, options);
  print_diagnostics(made.diagnostics, Listing::Short, console);
  if (!made.bytes) {
    console.complain("not written: " + arguments.file);
    return kBadInput;
  }
  if (std::optional<Error> why = write_snapshot(arguments.file, *made.bytes)) {
    console.complain("cannot write " + arguments.file + ": " + why->message);
    return kFailure;
  }
  auto bytes = [](uint64_t count) { return grouped_text(static_cast<int64_t>(count)) + " bytes"; };
  console.print(arguments.file + ": " + grouped_text(static_cast<int64_t>(made.objects)) +
                (made.objects == 1 ? " object, " : " objects, ") + bytes(made.bytes->size()) +
                " of " + bytes(made.text_bytes) + "\n");
  bool errors = std::ranges::any_of(
      made.diagnostics, [](const Diagnostic& one) { return one.severity == Severity::Error; });
  return errors ? kBadInput : kDone;
}

}  // namespace trellis
