#include "server/objects/cycle_times_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "server/document/duration.h"
#include "server/document/json_text.h"
#include "server/document/timestamp.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 5> kAppointmentKeys = {"namespace", "gang", "start", "made",
                                                              "pods"};
constexpr std::array<std::string_view, 3> kPastRunKeys = {"queue", "namespace", "lengths"};
constexpr std::array<std::string_view, 4> kGangTimesKeys = {"namespace", "gang", "started",
                                                            "staleSince"};
constexpr std::array<std::string_view, 2> kAppointedPodKeys = {"name", "node"};

void append_member(std::string& text, std::string_view key, std::string_view value) {
  if (text.back() != '{') text += ',';
  append_json_string(text, key);
  text += ':';
  append_json_string(text, value);
}

// nullopt: the field is missing or wrong, which is reported.
std::optional<std::string> needed_text(Value object, std::string_view key, FieldReader& fields) {
  std::string_view text = fields.string(object, key);
  if (object[key].absent()) fields.missing(object, key, "a name");
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

std::optional<TimeUs> needed_time(Value object, std::string_view key, FieldReader& fields) {
  if (object[key].absent()) fields.missing(object, key, "a time");
  TimeUs time = fields.time(object, key);
  return time == kNoTime ? std::nullopt : std::optional(time);
}

std::optional<Appointment> read_appointment(Value object, FieldReader& fields) {
  fields.known_keys(object, kAppointmentKeys);
  std::optional<std::string> name_space = needed_text(object, "namespace", fields);
  std::optional<std::string> gang = needed_text(object, "gang", fields);
  std::optional<TimeUs> start = needed_time(object, "start", fields);
  std::optional<TimeUs> made = needed_time(object, "made", fields);
  if (!name_space || !gang || !start || !made) return std::nullopt;
  Appointment appointment{*std::move(name_space), *std::move(gang), *start, *made, {}};
  for (Value item : fields.list(object, "pods").items()) {
    fields.known_keys(item, kAppointedPodKeys);
    std::optional<std::string> name = needed_text(item, "name", fields);
    std::optional<std::string> node = needed_text(item, "node", fields);
    if (!name || !node) return std::nullopt;
    appointment.pods.push_back({*std::move(name), *std::move(node)});
  }
  return appointment;
}

}  // namespace

std::string appointments_text(const Appointments& appointments) {
  std::string text = "[";
  for (const Appointment& appointment : appointments) {
    text += text.size() > 1 ? ",{" : "{";
    append_member(text, "namespace", appointment.name_space);
    append_member(text, "gang", appointment.gang);
    append_member(text, "start", format_timestamp(appointment.start));
    append_member(text, "made", format_timestamp(appointment.made));
    text += R"(,"pods":[)";
    for (const AppointedPod& pod : appointment.pods) {
      text += text.back() == '[' ? "{" : ",{";
      append_member(text, "name", pod.name);
      append_member(text, "node", pod.node);
      text += '}';
    }
    text += "]}";
  }
  return text + "]";
}

Appointments read_appointments(Value list, FieldReader& fields) {
  Appointments appointments;
  for (Value item : list.items()) {
    std::optional<Appointment> read = read_appointment(item, fields);
    if (read) appointments.push_back(*std::move(read));
  }
  return appointments;
}

std::string past_runs_text(const RunHistory& history) {
  std::string text = "[";
  for (const PastRuns& past : history) {
    text += text.size() > 1 ? ",{" : "{";
    if (!past.queue.empty()) append_member(text, "queue", past.queue);
    append_member(text, "namespace", past.name_space);
    text += R"(,"lengths":[)";
    for (TimeUs length : past.lengths) {
      if (text.back() != '[') text += ',';
      append_json_string(text, format_duration(length));
    }
    text += "]}";
  }
  return text + "]";
}

RunHistory read_past_runs(Value list, FieldReader& fields) {
  RunHistory history;
  for (Value item : list.items()) {
    fields.known_keys(item, kPastRunKeys);
    PastRuns past{std::string(fields.string(item, "queue")), "", {}};
    std::optional<std::string> name_space = needed_text(item, "namespace", fields);
    for (Value length : fields.list(item, "lengths", kMostPastRuns).items()) {
      std::optional<TimeUs> read = fields.duration(length, DurationSign::NotNegative);
      if (read && *read > 0) past.lengths.push_back(*read);
    }
    if (!name_space) continue;
    past.name_space = *std::move(name_space);
    history.push_back(std::move(past));
  }
  auto key = [](const PastRuns& past) { return std::tie(past.queue, past.name_space); };
  std::ranges::stable_sort(history, {}, key);
  return history;
}

std::string gang_times_text(const std::vector<GangTimes>& gangs) {
  std::string text = "[";
  for (const GangTimes& gang : gangs) {
    text += text.size() > 1 ? ",{" : "{";
    append_member(text, "namespace", gang.name_space);
    append_member(text, "gang", gang.gang);
    if (gang.started != kNoTime) append_member(text, "started", format_timestamp(gang.started));
    if (gang.stale_since != kNoTime) {
      append_member(text, "staleSince", format_timestamp(gang.stale_since));
    }
    text += '}';
  }
  return text + "]";
}

std::vector<GangTimes> read_gang_times(Value list, FieldReader& fields) {
  std::vector<GangTimes> gangs;
  for (Value item : list.items()) {
    fields.known_keys(item, kGangTimesKeys);
    std::optional<std::string> name_space = needed_text(item, "namespace", fields);
    std::optional<std::string> gang = needed_text(item, "gang", fields);
    GangTimes times{"", "", fields.time(item, "started"), fields.time(item, "staleSince")};
    if (!name_space || !gang) continue;
    times.name_space = *std::move(name_space);
    times.gang = *std::move(gang);
    gangs.push_back(std::move(times));
  }
  return gangs;
}

}  // namespace trellis
