#include "server/sources/source_texts.h"

#include <algorithm>
#include <utility>

#include "server/sources/far_reaching_text.h"

namespace trellis {

void SourceTexts::apply(TextChanges changes) {
  make_pods_ = changes.make_pods;
  hold_gpu_fractions_ = changes.hold_gpu_fractions;
  shard_ = std::move(changes.shard);
  Texts former;
  if (changes.whole) former = std::exchange(texts_, {});
  for (NamedText& change : changes.texts) {
    if (!change.text) {
      texts_.erase(change.name);
      continue;
    }
    auto [entry, added] = texts_.try_emplace(std::move(change.name));
    if (added) entry->second.order = next_order_++;
    auto before = former.find(entry->first);
    if (before != former.end()) {
      entry->second.text = std::move(before->second.text);
      entry->second.far_reaching = std::move(before->second.far_reaching);
    }
    if (entry->second.text == change.text) continue;
    entry->second.text = std::move(change.text);
    entry->second.far_reaching.reset();
  }
}

SourceTexts::Ordered SourceTexts::in_order() const {
  Ordered ordered;
  ordered.reserve(texts_.size());
  for (const auto& [name, entry] : texts_) ordered.emplace_back(&name, &entry);
  std::ranges::sort(ordered, {}, [](const auto& one) { return one.second->order; });
  return ordered;
}

std::string SourceTexts::far_reaching() const {
  std::string lines;
  for (const auto& [name, entry] : in_order()) {
    std::optional<std::string>& part = entry->far_reaching;
    if (!part) part = far_reaching_text({*name, entry->text});
    lines += *part;
  }
  return lines;
}

Manifest SourceTexts::read() const {
  std::vector<NamedText> texts;
  texts.reserve(texts_.size());
  for (const auto& [name, entry] : in_order()) texts.push_back({*name, entry->text});
  ReadOptions options;
  options.keep_raw = true;
  options.make_pods = make_pods_;
  Vocabulary vocabulary;
  return shard_ ? read_shard_texts(texts, vocabulary, options, *shard_)
                : read_manifest_texts(texts, vocabulary, options);
}

}  // namespace trellis
