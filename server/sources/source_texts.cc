#include "server/sources/source_texts.h"

#include <algorithm>
#include <utility>

namespace trellis {

void SourceTexts::apply(TextChanges changes) {
  make_pods_ = changes.make_pods;
  hold_gpu_fractions_ = changes.hold_gpu_fractions;
  shard_ = std::move(changes.shard);
  if (changes.whole) texts_.clear();
  for (NamedText& change : changes.texts) {
    if (!change.text) {
      texts_.erase(change.name);
      continue;
    }
    auto [entry, added] = texts_.try_emplace(std::move(change.name));
    if (added) entry->second.order = next_order_++;
    entry->second.text = std::move(change.text);
  }
}

Manifest SourceTexts::read() const {
  std::vector<std::pair<uint64_t, NamedText>> ordered;
  ordered.reserve(texts_.size());
  for (const auto& [name, entry] : texts_) ordered.push_back({entry.order, {name, entry.text}});
  std::ranges::sort(ordered, {}, [](const auto& one) { return one.first; });
  std::vector<NamedText> texts;
  texts.reserve(ordered.size());
  for (auto& [order, text] : ordered) texts.push_back(std::move(text));
  ReadOptions options;
  options.keep_raw = true;
  options.make_pods = make_pods_;
  Vocabulary vocabulary;
  return shard_ ? read_shard_texts(texts, vocabulary, options, *shard_)
                : read_manifest_texts(texts, vocabulary, options);
}

}  // namespace trellis
