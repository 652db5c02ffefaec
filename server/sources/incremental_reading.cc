#include "server/sources/incremental_reading.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "server/sources/text_content.h"

namespace trellis {
namespace {

// The prefixes of the names of texts: kube/discovery.h.
constexpr std::string_view kPodTexts = "pods/";
constexpr std::string_view kWorkloadTexts = "workloads.kueue.x-k8s.io/";

int64_t count_zoned(const Objects& objects) {
  return std::count_if(objects.nodes.begin(), objects.nodes.end(),
                       [](const Node& node) { return static_cast<bool>(node.numa); });
}

std::string text_name(std::string_view kind, const RemovedObjects::Named& named) {
  return std::string(kind) + named.name_space + "/" + named.name;
}

}  // namespace

void IncrementalReading::forget(Forgotten forgotten) {
  std::ranges::move(forgotten.pods, std::back_inserter(forgotten_.pods));
  std::ranges::move(forgotten.workloads, std::back_inserter(forgotten_.workloads));
  forgotten_.everything = forgotten_.everything || forgotten.everything;
}

bool IncrementalReading::has_everything() const {
  return !has_read_ || settings_ != read_settings_ || forgotten_.everything ||
         parts_ < static_cast<int64_t>(changes_.size());
}

bool IncrementalReading::is_far_reaching(std::string_view name,
                                         const Dependencies& dependencies) const {
  if (dependencies.reach == Dependencies::Reach::Everything) return true;
  std::optional<Number> known = texts_.find(name);
  return known && texts_[*known].dependencies.reach == Dependencies::Reach::Everything;
}

void IncrementalReading::note(std::vector<NamedText> changes, Vocabulary& vocabulary) {
  for (NamedText& change : changes) note(std::move(change), vocabulary);
}

void IncrementalReading::note(NamedText change, Vocabulary& vocabulary) {
  if (auto noted = changes_.find(change.name); noted != changes_.end()) {
    if (!noted->second.far_reaching) --parts_;
    changes_.erase(noted);
  }
  uint64_t content = 0;
  if (change.text) content = content_of(decoder_.scan(change.text), decoder_.text());
  std::optional<Number> known = texts_.find(change.name);
  if (!known && !change.text) return;
  bool read = known && texts_[*known].text;
  if (read && change.text && texts_[*known].content == content) {
    texts_.rephrase(*known, change.text);
    handed_over_.push_back(std::move(change));
    return;
  }
  DecodedText decoded;
  if (change.text) decoded = decoder_.decode(change.name, texts_.add(change.name), vocabulary);
  bool far_reaching = is_far_reaching(change.name, decoded.dependencies);
  if (!far_reaching) ++parts_;
  changes_.emplace(std::move(change.name),
                   Change{std::move(change.text), content, std::move(decoded), far_reaching});
}

// Announces the dependencies of the changes to be read, and returns these changes with the numbers
// of their texts.
std::vector<IncrementalReading::Expected> IncrementalReading::expect(Extent extent) {
  std::vector<Expected> expected;
  for (const auto& [name, change] : changes_) {
    if (extent == Extent::Parts && change.far_reaching) continue;
    Number number = texts_.add(name);
    texts_.expect(number, change.decoded.dependencies);
    expected.emplace_back(number, &change);
  }
  return expected;
}

// The texts of forgotten objects. False: a workload has no text, as it is made from its owner. A
// pod without a text is gone.
bool IncrementalReading::find_texts(const Forgotten& forgotten,
                                    std::vector<Number>& numbers) const {
  for (const RemovedObjects::Named& pod : forgotten.pods) {
    if (auto known = texts_.find(text_name(kPodTexts, pod))) numbers.push_back(*known);
  }
  bool all = true;
  for (const RemovedObjects::Named& workload : forgotten.workloads) {
    auto known = texts_.find(text_name(kWorkloadTexts, workload));
    if (known) numbers.push_back(*known);
    all = all && known;
  }
  return all;
}

Manifest IncrementalReading::read_as(const std::vector<TextPart>& parts,
                                     const ReadingSettings& settings, Extent extent,
                                     Vocabulary& vocabulary) const {
  if (parts.empty()) return {};
  // In a live cluster the controller of a Job makes its pods.
  ReadOptions options{.make_pods = false, .settings = settings};
  if (extent == Extent::Parts) {
    options.zones_elsewhere = zoned_nodes_ > 0;
    options.queues_elsewhere = texts_.local_queues() > 0;
  }
  return read_parts(parts, vocabulary, options, shard_);
}

// Reads the part that the changes affect, as it was and as it is.
IncrementalReading::Reading IncrementalReading::read_both(Extent extent,
                                                          std::span<const Expected> changes,
                                                          std::span<const Number> forgotten,
                                                          Vocabulary& vocabulary) const {
  Reading reading;
  TextGraph::Part part;
  if (extent == Extent::Everything) {
    part.texts = texts_.all();
  } else {
    std::vector<Number> changed(forgotten.begin(), forgotten.end());
    for (const auto& [number, change] : changes) changed.push_back(number);
    part = texts_.part(changed);
  }
  absl::flat_hash_map<Number, const Change*> changed;
  for (const auto& [number, change] : changes) changed.emplace(number, change);
  std::vector<TextPart> before;
  std::vector<TextPart> after;
  before.reserve(part.texts.size());
  after.reserve(part.texts.size());
  for (Number number : part.texts) {
    const TextGraph::Text& text = texts_[number];
    TextPart was{text.name, number, &text.text, text.object.get()};
    TextPart now = was;
    if (auto found = changed.find(number); found != changed.end()) {
      now.text = &found->second->text;
      now.object = found->second->decoded.object.get();
    }
    if (*was.text) before.push_back(was);
    if (*now.text) after.push_back(now);
  }
  reading.reached = std::move(part.reached);
  reading.before = read_as(before, read_settings_, extent, vocabulary);
  reading.after = read_as(after, next_settings_, extent, vocabulary);
  return reading;
}

Objects IncrementalReading::read_all(Vocabulary& vocabulary) {
  auto decode = [&](std::string_view name, const StoredText& text) {
    decoder_.scan(text);
    return decoder_.decode(name, *texts_.find(name), vocabulary).object;
  };
  for (auto& [name, change] : changes_) {
    if (change.text) change.decoded.object = decode(name, change.text);
  }
  std::vector<TextPart> parts;
  for (Number number : texts_.all()) {
    const TextGraph::Text& text = texts_[number];
    if (!text.text) continue;
    texts_.decode_again(number, decode(text.name, text.text));
    parts.push_back({text.name, number, &text.text, text.object.get()});
  }
  return read_as(parts, read_settings_, Extent::Everything, vocabulary).objects;
}

// Whether the first LocalQueue is added or the last one removed, which affects the whole input.
bool IncrementalReading::flips(std::span<const Expected> changes) const {
  int64_t queues = texts_.local_queues();
  for (const auto& [number, change] : changes) {
    queues += (change->decoded.dependencies.local_queue ? 1 : 0) -
              (texts_[number].dependencies.local_queue ? 1 : 0);
  }
  return (queues > 0) != (texts_.local_queues() > 0);
}

int64_t IncrementalReading::zoned_after(Extent extent, const Reading& reading) const {
  int64_t now = count_zoned(reading.after.objects);
  if (extent == Extent::Everything) return now;
  return zoned_nodes_ + now - count_zoned(reading.before.objects);
}

SourceUpdate IncrementalReading::read(Extent extent, Vocabulary& vocabulary) {
  std::vector<Expected> changes = expect(extent);
  std::vector<Number> forgotten;
  next_settings_ = extent == Extent::Everything ? settings_ : read_settings_;
  Forgotten forgetting = std::exchange(forgotten_, {});
  if (extent == Extent::Parts) forgotten_.everything = std::exchange(forgetting.everything, false);
  extent_ = extent;
  if (!find_texts(forgetting, forgotten) || flips(changes)) extent_ = Extent::Everything;
  Reading reading = read_both(extent_, changes, forgotten, vocabulary);
  int64_t zoned = zoned_after(extent_, reading);
  if (extent_ == Extent::Parts && (zoned > 0) != (zoned_nodes_ > 0)) {
    extent_ = Extent::Everything;
    reading = read_both(extent_, changes, forgotten, vocabulary);
    zoned = zoned_after(extent_, reading);
  }
  zoned_nodes_ = zoned;
  read_settings_ = next_settings_;
  has_read_ = true;
  SourceUpdate update;
  if (forgetting.empty()) {
    update.diff =
        diff_objects(reading.before.objects, std::move(reading.after.objects), vocabulary.strings);
  } else {
    const Objects& now = reading.after.objects;
    update.diff = diff_objects(reading.before.objects, now, vocabulary.strings);
    trellis::forget(update.diff, now, std::move(forgetting), vocabulary.strings);
  }
  take_diagnostics(reading);
  update.diagnostics = listed_;
  settle(changes);
  update.texts = {.texts = std::exchange(handed_over_, {}),
                  .make_pods = false,
                  .hold_gpu_fractions = read_settings_.gpu_fractions == GpuFractions::Held,
                  .shard = shard_};
  return update;
}

void IncrementalReading::settle(std::span<const Expected> changes) {
  for (const auto& [number, change] : changes) {
    auto noted = changes_.find(texts_[number].name);
    if (!noted->second.far_reaching) --parts_;
    handed_over_.push_back({noted->first, noted->second.text});
    texts_.settle(number, std::move(noted->second.text), noted->second.content,
                  std::move(noted->second.decoded.object));
    changes_.erase(noted);
  }
}

void IncrementalReading::take_diagnostics(Reading& reading) {
  bool changed = !listed_;
  absl::flat_hash_set<SharedText, TextHash, TextEqual> ours;  // the names of the affected texts
  if (extent_ == Extent::Everything) {
    changed = true;
    diagnostics_.clear();
  }
  for (Number number : reading.reached) {
    const SharedText& name = texts_[number].name;
    ours.insert(name);
    if (diagnostics_.empty()) continue;
    changed = diagnostics_.erase(name) > 0 || changed;
  }
  for (Diagnostic& diagnostic : reading.after.diagnostics) {
    if (extent_ == Extent::Parts && !ours.contains(diagnostic.file)) continue;
    changed = true;
    std::string file = diagnostic.file;
    diagnostics_[std::move(file)].push_back(std::move(diagnostic));
  }
  if (changed) list_diagnostics();
}

// Lists the diagnostics in the order of a reading of everything: those about the whole input come
// last. A warning that concerns many objects is listed once.
void IncrementalReading::list_diagnostics() {
  auto list = std::make_shared<std::vector<Diagnostic>>();
  std::set<std::pair<std::string_view, std::string_view>> warned;
  auto add = [&](const std::vector<Diagnostic>& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) {
      bool first = diagnostic.severity != Severity::Warning ||
                   warned.emplace(diagnostic.found, diagnostic.expected).second;
      if (first) list->push_back(diagnostic);
    }
  };
  for (const auto& [file, diagnostics] : diagnostics_) {
    if (!file.empty()) add(diagnostics);
  }
  if (auto whole = diagnostics_.find(""); whole != diagnostics_.end()) add(whole->second);
  listed_ = std::move(list);
}

}  // namespace trellis
