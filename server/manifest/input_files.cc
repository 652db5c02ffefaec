#include "server/manifest/input_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "server/document/json_reader.h"
#include "server/document/yaml_reader.h"
#include "server/manifest/kai_snapshot.h"
#include "server/manifest/packed_text.h"
#include "server/snapshot/snapshot_file.h"

namespace trellis {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kYaml = {".yaml", ".yml"};
constexpr std::array<std::string_view, 3> kJsonEndings = {".json", ".jsonl", ".ndjson"};

template <size_t N>
bool ends_with(std::string_view name, const std::array<std::string_view, N>& ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

class Finder {
 public:
  explicit Finder(std::vector<Diagnostic>& diagnostics) : diagnostics_(diagnostics) {}

  void add(const std::string& path) {
    if (path == "-") {
      add_file(path);
      return;
    }
    std::error_code fault;
    fs::file_status status = fs::status(path, fault);
    if (!fs::exists(status)) {
      bool gone = !fault || fault == std::errc::no_such_file_or_directory;
      diagnostics_.push_back({.file = path,
                              .found = gone ? "no such file or directory" : fault.message(),
                              .expected = "a file, a directory, or - for standard input"});
    } else if (fs::is_directory(status)) {
      size_t before = files_.size();
      size_t seen = seen_.size();
      add_directory(path);
      if (files_.size() == before && seen_.size() == seen) {
        diagnostics_.push_back({.file = path,
                                .found = "no file to read in this directory",
                                .expected = "names that end in .yaml, .yml, .json, .jsonl or "
                                            ".ndjson"});
      }
    } else {
      add_file(path);
    }
  }

  std::vector<InputFile> take() { return std::move(files_); }

 private:
  void add_directory(const std::string& root) {
    std::vector<std::string> names;
    std::error_code fault;
    fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, fault);
    for (; !fault && at != fs::recursive_directory_iterator(); at.increment(fault)) {
      std::string name = at->path().filename().string();
      std::string_view plain = unpacked_name(name);
      std::error_code ignored;
      if (name.starts_with('.')) {
        if (at->is_directory(ignored)) at.disable_recursion_pending();
        continue;
      }
      if (!at->is_regular_file(ignored)) continue;
      if (ends_with(plain, kYaml) || ends_with(plain, kJsonEndings))
        names.push_back(at->path().string());
    }
    if (fault) {
      diagnostics_.push_back(
          {.file = root, .found = fault.message(), .expected = "a directory that can be read"});
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) add_file(name);
  }

  void add_file(const std::string& name) {
    std::error_code fault;
    fs::path real = name == "-" ? fs::path(name) : fs::weakly_canonical(name, fault);
    if (!seen_.insert(fault ? name : real.string()).second) return;
    uintmax_t size = name == "-" ? 0 : fs::file_size(name, fault);
    files_.push_back({name, fault ? 0 : static_cast<int64_t>(size)});
  }

  std::vector<Diagnostic>& diagnostics_;
  std::vector<InputFile> files_;
  std::set<std::string> seen_;
};

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

// Two objects on lines of their own: no YAML document begins so.
bool is_json_lines(std::string_view text) {
  size_t line = text.find('\n');
  if (!text.starts_with("{\"") || line == std::string_view::npos) return false;
  size_t second = text.find_first_not_of("\r\n", line);
  std::string_view first = text.substr(0, line);
  if (first.ends_with('\r')) first.remove_suffix(1);
  return first.ends_with('}') && second != std::string_view::npos && text[second] == '{';
}

}  // namespace

std::vector<InputFile> find_input_files(const std::vector<std::string>& paths,
                                        std::vector<Diagnostic>& diagnostics) {
  Finder finder(diagnostics);
  for (const std::string& path : paths) finder.add(path);
  return finder.take();
}

Result<std::string> read_input_file(const InputFile& input, size_t most_bytes) {
  std::unique_ptr<std::FILE, CloseFile> file(
      input.name == "-" ? stdin : std::fopen(input.name.c_str(), "rb"));
  if (!file) return error(std::generic_category().message(errno));
  std::string text;
  constexpr size_t kStep = 1 << 16;
  // One byte more than expected: a read that falls short of it shows the end.
  size_t room = input.size > 0 ? std::min(static_cast<size_t>(input.size), most_bytes) + 1 : kStep;
  size_t used = 0;
  while (true) {
    text.resize(used + room);
    size_t got = std::fread(text.data() + used, 1, room, file.get());
    used += got;
    if (used > most_bytes) {
      return error("more than " + std::to_string((most_bytes + 1) >> 20) + " MiB");
    }
    if (got < room) break;
    room = std::min(std::max(kStep, used), most_bytes + 1 - used);
  }
  if (std::ferror(file.get()) != 0) return error(std::generic_category().message(errno));
  text.resize(used);
  // A packed file may be a hundredth of its text.
  Result<std::string> plain = unpack(std::move(text), kMostFileBytes);
  if (!plain) return plain;
  std::optional<std::string> lists = lists_of_snapshot(*plain);
  return lists ? std::move(*lists) : std::move(plain);
}

Result<std::string> plain_text(std::string text) {
  if (!is_snapshot(text)) return text;
  Result<SnapshotParts> parts = open_snapshot(text);
  if (!parts) return error(parts.error().message);
  Result<std::string> texts = unpack_part(parts->texts, kMostFileBytes);
  if (!texts) return texts;
  std::string joined;
  std::optional<InputFormat> format;
  SnapshotText part;
  for (size_t at = 0; next_text(*texts, at, part);) {
    InputFormat own = input_format(part.name, part.text);
    if (format && own != *format) {
      return error("a Trellis snapshot of YAML and JSON: name its files, or make one of each");
    }
    if (format) joined += own == InputFormat::Yaml ? "\n---\n" : "\n";
    joined += part.text;
    format = own;
  }
  return joined;
}

InputFormat input_format(std::string_view file, std::string_view text) {
  std::string_view name = unpacked_name(file);
  if (ends_with(name, kYaml)) {
    return is_json_lines(text) ? InputFormat::JsonText : InputFormat::Yaml;
  }
  if (ends_with(name, kJsonEndings)) return InputFormat::JsonText;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  size_t first = text.find_first_not_of(" \t\r\n");
  bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  return json ? InputFormat::JsonText : InputFormat::Yaml;
}

void read_documents(std::string_view text, const ReadSink& sink) {
  if (input_format(sink.file, text) == InputFormat::JsonText) {
    read_json(text, sink);
  } else {
    read_yaml(text, sink);
  }
}

}  // namespace trellis
