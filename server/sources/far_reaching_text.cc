#include "server/sources/far_reaching_text.h"

#include <algorithm>
#include <string_view>

#include "server/objects/kind_words.h"
#include "server/objects/kinds.h"

namespace trellis {
namespace {

bool is_far_reaching(std::string_view name) {
  return std::ranges::any_of(known_kinds(), [&](const Kind& kind) {
    bool reaches = kind.key == KeyKind::Everything || kind.key == KeyKind::LocalQueue;
    return reaches && kind.add != nullptr && kind.kind == name;
  });
}

}  // namespace

std::string far_reaching_text(const NamedText& text) {
  std::string lines;
  if (!any_kind_word(text.text.str(), is_far_reaching)) return lines;
  Vocabulary vocabulary;
  ReadOptions options{.keep_raw = true, .make_pods = false};
  for (const RawObject& object : read_manifest_texts({&text, 1}, vocabulary, options).raw) {
    if (is_far_reaching(object.kind)) lines.append(object.json).append("\n");
  }
  return lines;
}

}  // namespace trellis
