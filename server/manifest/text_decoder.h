// Scans and decodes texts that hold one object each.
//
// Cost: a scan O(bytes of the text); decoding O(fields that are read).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "framework/shared_value.h"
#include "framework/vocabulary.h"
#include "server/document/document.h"
#include "server/manifest/decoded_object.h"
#include "server/manifest/manifest.h"
#include "server/manifest/shard.h"
#include "server/objects/dependencies.h"
#include "server/objects/spec_pool.h"
#include "server/text/stored_text.h"

namespace trellis {

// A text of a reading.
struct TextPart {
  std::string_view name;
  uint32_t number = 0;  // as it was decoded with
  const StoredText* text = nullptr;
  const DecodedObject* object = nullptr;  // null: the text is decoded in the reading
};

// As read_manifest_texts() (manifest.h), of texts that are decoded already. `shard`: as the texts
// were decoded with.
Manifest read_parts(std::span<const TextPart> parts, Vocabulary& vocabulary,
                    const ReadOptions& options, const std::optional<Shard>& shard);

struct DecodedText {
  // null: each reading must decode the text itself, as it has no single object with a name, or as
  // it is no valid JSON.
  SharedValue<DecodedObject> object;
  Dependencies dependencies;  // of all objects in the text
};

class TextDecoder {
 public:
  // `shard`: the shard whose label is recorded; none: no label is.
  explicit TextDecoder(std::optional<Shard> shard) : shard_(std::move(shard)) {}

  // The object of a JSON text, until the next scan. Nothing where the text is not one object alone.
  Value scan(const StoredText& text);
  // The last scanned text.
  std::string_view text() const { return text_; }

  // Decodes the last scanned text. `file` and `number` are those of the text: messages show the
  // file, and locations in records hold the number.
  DecodedText decode(std::string_view file, uint32_t number, Vocabulary& vocabulary);

 private:
  std::optional<Shard> shard_;
  SpecPool specs_;
  std::string text_;
  Document document_;
  bool single_ = false;  // the last text holds one object, and nothing else
};

}  // namespace trellis
