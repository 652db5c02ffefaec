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

bool IncrementalReading::is_far_reaching(Number number, const Dependencies& dependencies) const {
  return dependencies.reach == Dependencies::Reach::Everything ||
         texts_[number].dependencies.reach == Dependencies::Reach::Everything;
}

// Drops the change of this text that was noted before, if any.
void IncrementalReading::withdraw(Number number) {
  auto noted = noted_.find(number);
  if (noted == noted_.end()) return;
  Change& change = changes_[noted->second];
  if (!change.far_reaching) --parts_;
  if (&change != &changes_.back()) {
    change = std::move(changes_.back());
    noted_[change.number] = noted->second;
  }
  changes_.pop_back();
  noted_.erase(number);
}

// Computed when a text is replaced for the first time. Scans the text in this case.
uint64_t IncrementalReading::content_of_text(Number number) {
  const TextGraph::Text& text = texts_[number];
  if (text.content == 0) {
    texts_.set_content(number, content_of(decoder_.scan(text.text), decoder_.text()));
  }
  return text.content;
}

void IncrementalReading::note(std::vector<NamedText> changes, Vocabulary& vocabulary) {
  texts_.reserve(changes.size());
  if (changes_.empty()) changes_.reserve(changes.size());
  for (NamedText& change : changes) note(std::move(change), vocabulary);
}

void IncrementalReading::note(NamedText change, Vocabulary& vocabulary) {
  std::optional<Number> known = change.text ? texts_.add(change.name) : texts_.find(change.name);
  if (!known) return;
  Number number = *known;
  withdraw(number);
  uint64_t content = 0;
  DecodedText decoded;
  if (change.text) {
    bool read = static_cast<bool>(texts_[number].text);
    uint64_t before = read ? content_of_text(number) : 0;
    Value object = decoder_.scan(change.text);
    if (read) content = content_of(object, decoder_.text());
    if (read && content == before) {
      texts_.rephrase(number, change.text);
      handed_over_.push_back(std::move(change));
      return;
    }
    decoded = decoder_.decode(change.name, number, vocabulary);
  }
  bool far_reaching = is_far_reaching(number, decoded.dependencies);
  if (!far_reaching) ++parts_;
  noted_.emplace(number, changes_.size());
  changes_.push_back({number, std::move(change.text), content, std::move(decoded), far_reaching});
}

// Announces the dependencies of the changes to be read, and returns these changes by the names of
// their texts.
std::vector<IncrementalReading::Change*> IncrementalReading::expect(Extent extent) {
  std::vector<Number> numbers;
  numbers.reserve(changes_.size());
  for (Change& change : changes_) {
    if (extent == Extent::Parts && change.far_reaching) continue;
    texts_.expect(change.number, std::move(change.decoded.dependencies));
    numbers.push_back(change.number);
  }
  texts_.sort_by_name(numbers);
  std::vector<Change*> expected;
  expected.reserve(numbers.size());
  for (Number number : numbers) expected.push_back(&changes_[noted_.at(number)]);
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
                                                          std::span<Change* const> changes,
                                                          std::span<const Number> forgotten,
                                                          Vocabulary& vocabulary) const {
  Reading reading;
  TextGraph::Part part;
  if (extent == Extent::Everything) {
    part.texts = texts_.all();
  } else {
    std::vector<Number> changed(forgotten.begin(), forgotten.end());
    for (const Change* change : changes) changed.push_back(change->number);
    part = texts_.part(changed);
  }
  std::vector<TextPart> before;
  std::vector<TextPart> after;
  before.reserve(part.texts.size());
  after.reserve(part.texts.size());
  auto change = changes.begin();  // both are sorted by name
  for (Number number : part.texts) {
    const TextGraph::Text& text = texts_[number];
    TextPart was{text.name, number, &text.text, text.object.get()};
    TextPart now = was;
    if (change != changes.end() && (*change)->number == number) {
      now.text = &(*change)->text;
      now.object = (*change)->decoded.object.get();
      ++change;
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
  auto decode = [&](Number number, const StoredText& text) {
    decoder_.scan(text);
    return decoder_.decode(texts_[number].name, number, vocabulary).object;
  };
  for (Change& change : changes_) {
    if (change.text) change.decoded.object = decode(change.number, change.text);
  }
  std::vector<TextPart> parts;
  for (Number number : texts_.all()) {
    const TextGraph::Text& text = texts_[number];
    if (!text.text) continue;
    texts_.decode_again(number, decode(number, text.text));
    parts.push_back({text.name, number, &text.text, text.object.get()});
  }
  return read_as(parts, read_settings_, Extent::Everything, vocabulary).objects;
}

// Whether the first LocalQueue is added or the last one removed, which affects the whole input.
bool IncrementalReading::flips(std::span<Change* const> changes) const {
  int64_t queues = texts_.local_queues();
  for (const Change* change : changes) {
    const TextGraph::Text& text = texts_[change->number];
    queues += (text.coming->local_queue ? 1 : 0) - (text.dependencies.local_queue ? 1 : 0);
  }
  return (queues > 0) != (texts_.local_queues() > 0);
}

int64_t IncrementalReading::zoned_after(Extent extent, const Reading& reading) const {
  int64_t now = count_zoned(reading.after.objects);
  if (extent == Extent::Everything) return now;
  return zoned_nodes_ + now - count_zoned(reading.before.objects);
}

SourceUpdate IncrementalReading::read(Extent extent, Vocabulary& vocabulary) {
  std::vector<Change*> changes = expect(extent);
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

void IncrementalReading::settle(std::span<Change* const> changes) {
  handed_over_.reserve(handed_over_.size() + changes.size());
  for (Change* change : changes) {
    if (!change->far_reaching) --parts_;
    handed_over_.push_back({texts_[change->number].name, change->text});
    texts_.settle(change->number, std::move(change->text), change->content,
                  std::move(change->decoded.object));
    noted_.erase(change->number);
  }
  // Lists as large as the first reading are not kept.
  std::vector<Change> waiting;  // for a reading of everything
  absl::flat_hash_map<Number, size_t> noted;
  for (Change& change : changes_) {
    if (!noted_.contains(change.number)) continue;
    noted.emplace(change.number, waiting.size());
    waiting.push_back(std::move(change));
  }
  changes_ = std::move(waiting);
  noted_ = std::move(noted);
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
