#include "server/simulate/timed_objects.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "server/document/document.h"
#include "server/document/duration.h"
#include "server/document/json_text.h"
#include "server/manifest/input_files.h"
#include "server/snapshot/snapshot_file.h"
#include "server/sources/object_diff.h"

namespace trellis {
namespace {

constexpr std::string_view kArrival = "trellis.scheduler/arrival";
constexpr std::string_view kDuration = "trellis.scheduler/duration";
constexpr std::array<std::string_view, 6> kTimedKinds = {"Node",   "Queue",      "ClusterQueue",
                                                         "Cohort", "LocalQueue", "ResourceFlavor"};

bool is_timed(std::string_view kind, Value annotations) {
  return std::ranges::count(kTimedKinds, kind) > 0 && !annotations[kArrival].absent();
}

bool names_time(std::string_view text) {
  return text.find(kArrival) != std::string_view::npos ||
         text.find(kDuration) != std::string_view::npos;
}

// Divides the documents of one file.
class FileSplitter {
 public:
  FileSplitter(const std::string& file, SplitInput& split) : file_(file), split_(split) {}

  // False: the file has no timed object, and is read as it is.
  bool run(std::string_view text) {
    std::vector<Diagnostic> ignored;  // reported when the rest is read
    ReadSink sink{.file = file_,
                  .diagnostics = &ignored,
                  .document = [this](const Document& document,
                                     const ListHead& head) { take(document.root(), head); },
                  .progress = {},
                  .consumed = {}};
    read_documents(text, sink);
    if (timed_ == 0) return false;
    split_.texts.push_back({file_, StoredText(rest_)});
    return true;
  }

 private:
  void take(Value object, const ListHead& head) {
    if (!object["items"].absent()) {
      for (Value item : object["items"].items()) take_one(item, {});
    } else {
      take_one(object, {.api_version = head.api_version, .kind = {}, .name = {}});
    }
  }

  void take_one(Value object, const JsonAdditions& additions) {
    Value annotations = object["metadata"]["annotations"];
    RunTimes times = times_of(object, annotations);
    if (!is_timed(times.kind, annotations)) {
      if (times.arrival || times.duration) split_.run_times.push_back(std::move(times));
      rest_ += json_text(object, additions);
      rest_ += '\n';
      return;
    }
    ++timed_;
    std::string text = json_text(object, additions) + "\n";
    split_.timed.push_back({times.kind + "/" + times.name_space + "/" + times.name,
                            times.arrival.value_or(Moment()),
                            times.duration,
                            {file_, StoredText(text)}});
  }

  RunTimes times_of(Value object, Value annotations) {
    Value metadata = object["metadata"];
    std::string_view name_space = metadata["namespace"].text();
    RunTimes times{.kind = std::string(object["kind"].text()),
                   .name_space = std::string(name_space.empty() ? "default" : name_space),
                   .name = std::string(metadata["name"].text()),
                   .arrival = parse_moment(annotations[kArrival].text()),
                   .duration = parse_span(annotations[kDuration].text()),
                   .place = file_ + ":" + std::to_string(object.line())};
    for (std::string_view key : {kArrival, kDuration}) {
      bool understood = key == kArrival ? times.arrival.has_value() : times.duration.has_value();
      if (!annotations[key].absent() && !understood) refuse(times, key, annotations[key]);
    }
    return times;
  }

  void refuse(const RunTimes& times, std::string_view annotation, Value found) {
    split_.errors.push_back(times.place + ": " + std::string(annotation) + ": found " +
                            describe(found) +
                            ", expected seconds, a duration (1h30m) or, of an arrival, a time");
  }

  const std::string& file_;
  SplitInput& split_;
  std::string rest_;
  int64_t timed_ = 0;
};

// What does not come and go as gangs do.
Objects lasting(Objects objects) {
  objects.pods.clear();
  objects.gangs.clear();
  objects.workloads.clear();
  objects.name_spaces.clear();
  return objects;
}

// Of several that hold at the same time, the last that came holds.
std::vector<NamedText> texts_at(TimeUs now, std::span<const TimedObject> timed, TimeUs beginning) {
  std::map<std::string_view, std::pair<TimeUs, const TimedObject*>> held;
  for (const TimedObject& object : timed) {
    TimeUs since = object.since.from(beginning);
    bool holds = since <= now && (!object.duration || now < since + *object.duration);
    if (!holds) continue;
    auto [found, fresh] = held.try_emplace(object.key, since, &object);
    if (!fresh && found->second.first <= since) found->second = {since, &object};
  }
  std::vector<NamedText> texts;
  for (const auto& [key, object] : held) texts.push_back(object.second->text);
  return texts;
}

}  // namespace

SplitInput split_timed_objects(const std::vector<std::string>& paths) {
  SplitInput split;
  std::vector<Diagnostic> missing;
  for (const std::string& path : paths) {
    std::vector<InputFile> files =
        path == "-" ? std::vector<InputFile>() : find_input_files({path}, missing);
    // Standard input is read once; what cannot be found is reported by the reader of the rest.
    if (files.empty()) split.files.push_back(path);
    for (const InputFile& file : files) {
      Result<std::string> text = read_input_file(file);
      bool candidate = text && !is_snapshot(*text) && names_time(*text);
      if (candidate && FileSplitter(file.name, split).run(*text)) continue;
      split.files.push_back(file.name);
    }
  }
  return split;
}

std::vector<TimedChange> timed_changes(std::span<const TimedObject> timed, TimeUs beginning,
                                       const ReadWith& read, const StringTable& strings) {
  std::vector<TimeUs> moments;
  for (const TimedObject& object : timed) {
    TimeUs since = object.since.from(beginning);
    moments.push_back(since);
    if (object.duration) moments.push_back(since + *object.duration);
  }
  std::ranges::sort(moments);
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  std::vector<TimedChange> changes;
  Objects before = lasting(read({}).objects);
  for (TimeUs now : moments) {
    Objects after = lasting(read(texts_at(now, timed, beginning)).objects);
    ObjectDiff diff = diff_objects(before, after, strings);
    if (!diff.empty()) changes.push_back({now, std::move(diff.changes)});
    before = std::move(after);
  }
  return changes;
}

}  // namespace trellis
