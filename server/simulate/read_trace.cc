#include "server/simulate/read_trace.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <tuple>

#include "framework/resources.h"
#include "server/document/document.h"
#include "server/simulate/csv_table.h"
#include "server/simulate/trace_row.h"

namespace trellis {
namespace {

constexpr int64_t kKibibyte = int64_t{1} << 10;
constexpr int64_t kMebibyte = int64_t{1} << 20;

std::string numbered_name(size_t number) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "gang-%07zu", number);
  return name.data();
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// The columns of a format that were found in the head.
class Columns {
 public:
  Columns(const CsvTable& table, std::span<const std::string_view> names) {
    for (std::string_view name : names) at_.emplace_back(name, table.find(name));
  }
  std::string_view get(const CsvTable& table, std::string_view name) const {
    auto found = std::ranges::find(at_, name, [](const auto& column) { return column.first; });
    bool known = found != at_.end() && found->second;
    return known ? table.field(*found->second) : std::string_view();
  }
  bool has(std::string_view name) const {
    auto found = std::ranges::find(at_, name, [](const auto& column) { return column.first; });
    return found != at_.end() && found->second;
  }
  bool has_any() const {
    return std::ranges::any_of(at_, [](const auto& column) { return column.second.has_value(); });
  }

 private:
  std::vector<std::pair<std::string_view, std::optional<size_t>>> at_;
};

using Fields = std::function<std::string_view(std::string_view name)>;

TracedGang columns_row(const Fields& field, TraceRow& row) {
  TracedGang gang;
  gang.name = field("name");
  gang.arrival = row.seconds("arrival", field("arrival"), 0);
  gang.duration = row.seconds("duration", field("duration"), -1);
  gang.expected = row.seconds("expected", field("expected"), -1);
  gang.gpu_milli = row.quantity("gpus", field("gpus"), 3);
  gang.cpu_milli = row.quantity("cpu", field("cpu"), 3);
  gang.memory = row.quantity("memory", field("memory"), 0);
  gang.pods = static_cast<int32_t>(row.count("pods", field("pods"), 1, 0));
  gang.queue = field("queue");
  std::string_view priority = field("priority");
  if (!priority.empty()) {
    gang.priority = static_cast<int32_t>(row.count("priority", priority, -1'000'000'000, 0));
  }
  gang.level = field("level");
  if (gang.level.empty()) gang.level = field("topologylevel");
  return gang;
}

TracedGang philly_row(const Fields& field, TraceRow& row) {
  TracedGang gang;
  gang.arrival = row.date("timestamp", field("timestamp"));
  gang.duration = row.seconds("duration", field("duration"), 0);
  gang.gpu_milli = row.count("num_gpus", field("numgpus"), 0, 0) * kMilli;
  gang.queue = field("cluster");
  return gang;
}

TracedGang openb_row(const Fields& field, TraceRow& row) {
  TracedGang gang;
  gang.name = field("name");
  gang.pods = 1;
  gang.cpu_milli = row.count("cpu_milli", field("cpumilli"), 0, 0);
  gang.memory = row.count("memory_mib", field("memorymib"), 0, 0) * kMebibyte;
  int64_t gpus = row.count("num_gpu", field("numgpu"), 0, 0);
  int64_t part = row.count("gpu_milli", field("gpumilli"), 0, 0);
  gang.gpu_milli = gpus == 1 ? part : gpus * kMilli;
  if (gpus > 0) gang.models = parts_of(field("gpuspec"), '|');
  gang.arrival = row.seconds("creation_time", field("creationtime"), 0);
  TimeUs scheduled = row.seconds("scheduled_time", field("scheduledtime"), gang.arrival);
  TimeUs deleted = row.seconds("deletion_time", field("deletiontime"), -1);
  if (deleted >= 0) gang.duration = std::max<TimeUs>(deleted - scheduled, 0);
  return gang;
}

constexpr std::array<std::string_view, 12> kColumns = {
    "name",   "arrival", "duration", "expected", "gpus",  "cpu",
    "memory", "pods",    "queue",    "priority", "level", "topologylevel"};
constexpr std::array<std::string_view, 4> kPhillyColumns = {"timestamp", "duration", "numgpus",
                                                            "cluster"};
constexpr std::array<std::string_view, 9> kOpenbColumns = {
    "name",    "cpumilli",     "memorymib",    "numgpu",       "gpumilli",
    "gpuspec", "creationtime", "deletiontime", "scheduledtime"};

struct CsvFormat {
  std::span<const std::string_view> columns;
  bool needs_all;
  TracedGang (*read)(const Fields&, TraceRow&);
};

CsvFormat csv_format(TraceFormat format) {
  if (format == TraceFormat::Philly) return {kPhillyColumns, true, philly_row};
  if (format == TraceFormat::Openb) return {kOpenbColumns, true, openb_row};
  return {kColumns, false, columns_row};
}

std::string list_of(std::span<const std::string_view> words) {
  std::string list;
  for (std::string_view word : words) list.append(list.empty() ? "" : ", ").append(word);
  return list;
}

// "": the head has what the format needs.
std::string check_head(const CsvFormat& format, const Columns& columns) {
  std::string expected = "expected a head of " + list_of(format.columns);
  if (!columns.has_any()) return "no column is known: " + expected;
  if (!format.needs_all) return "";
  for (std::string_view name : format.columns) {
    if (!columns.has(name)) return "no column " + std::string(name) + ": " + expected;
  }
  return "";
}

std::string place_of(std::string_view file, size_t line) {
  return std::string(file) + ":" + std::to_string(line);
}

Result<std::vector<TracedGang>> read_csv(std::string_view file, std::string_view text,
                                         TraceFormat name) {
  CsvFormat format = csv_format(name);
  CsvTable table(text);
  Columns columns(table, format.columns);
  std::string wrong = check_head(format, columns);
  if (!wrong.empty()) return error(place_of(file, 1) + ": " + wrong);
  std::vector<TracedGang> gangs;
  Fields field = [&](std::string_view column) { return columns.get(table, column); };
  while (table.next()) {
    TraceRow row(place_of(file, table.line()));
    TracedGang gang = format.read(field, row);
    if (!row.error().empty()) return error(row.error());
    if (gang.name.empty()) gang.name = numbered_name(gangs.size() + 1);
    gangs.push_back(std::move(gang));
  }
  return gangs;
}

// Fields of SWF, from 0.
enum SwfField : size_t {
  kSwfNumber,
  kSwfSubmit,
  kSwfWait,
  kSwfRun,
  kSwfUsed,
  kSwfRequested = 7,
  kSwfMemory = 9,
  kSwfQueue = 14
};
constexpr size_t kSwfFields = 18;

std::optional<TracedGang> swf_row(const std::vector<std::string>& fields, TraceRow& row) {
  auto known = [&](size_t at) {
    return fields[at].starts_with('-') ? std::string_view() : std::string_view(fields[at]);
  };
  TracedGang gang;
  gang.name = "swf-" + fields[kSwfNumber];
  gang.arrival = row.seconds("submit time", known(kSwfSubmit), 0);
  gang.duration = row.seconds("run time", known(kSwfRun), -1);
  int64_t requested = row.count("requested processors", known(kSwfRequested), 0, 0);
  int64_t processors = requested > 0 ? requested : row.count("processors", known(kSwfUsed), 0, 0);
  gang.cpu_milli = processors * kMilli;
  gang.memory = row.count("requested memory", known(kSwfMemory), 0, 0) * kKibibyte * processors;
  gang.queue = known(kSwfQueue);
  // What never ran says nothing about how long it would have run.
  if (gang.duration < 0 || processors == 0) return std::nullopt;
  return gang;
}

Result<std::vector<TracedGang>> read_swf(std::string_view file, std::string_view text) {
  std::vector<TracedGang> gangs;
  size_t number = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    std::ranges::replace_if(
        line, [](char c) { return c == '\t' || c == '\r'; }, ' ');
    if (line.starts_with(';')) continue;
    std::vector<std::string> fields = parts_of(line, ' ');
    if (fields.empty()) continue;
    if (fields.size() < kSwfFields) {
      return error(place_of(file, number) + ": found " + std::to_string(fields.size()) +
                   " fields, expected the 18 of the Standard Workload Format");
    }
    TraceRow row(place_of(file, number));
    std::optional<TracedGang> gang = swf_row(fields, row);
    if (!row.error().empty()) return error(row.error());
    if (gang) gangs.push_back(*std::move(gang));
  }
  return gangs;
}

std::string find_twins(const std::vector<TracedGang>& gangs) {
  absl::flat_hash_set<std::string_view> seen;
  seen.reserve(gangs.size());
  for (const TracedGang& gang : gangs) {
    if (!seen.insert(gang.name).second) return gang.name;
  }
  return "";
}

}  // namespace

Result<std::vector<TracedGang>> read_trace(std::string_view file, std::string_view text,
                                           TraceFormat format) {
  Result<std::vector<TracedGang>> gangs =
      format == TraceFormat::Swf ? read_swf(file, text) : read_csv(file, text, format);
  if (!gangs) return gangs;
  if (gangs->empty()) return error(std::string(file) + ": the trace has no gangs");
  std::string twin = find_twins(*gangs);
  if (!twin.empty()) return error(std::string(file) + ": two gangs are named " + in_quotes(twin));
  std::ranges::sort(*gangs, {}, [](const TracedGang& gang) {
    return std::tuple(gang.arrival, std::string_view(gang.name));
  });
  // Dates count from the first.
  if (format != TraceFormat::Philly) return gangs;
  TimeUs first = gangs->front().arrival;
  for (TracedGang& gang : *gangs) gang.arrival -= first;
  return gangs;
}

}  // namespace trellis
