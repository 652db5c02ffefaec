#include "server/manifest/text_decoder.h"

#include <utility>

#include "server/document/document_builder.h"
#include "server/document/field_reader.h"
#include "server/document/json_scanner.h"
#include "server/document/report.h"
#include "server/manifest/input_files.h"
#include "server/manifest/object_loader.h"

namespace trellis {

Value TextDecoder::scan(const std::string& text) {
  DocumentBuilder builder(document_);
  JsonScanner scanner(text);
  single_ = false;
  if (!scanner.read_value(builder) || !document_.root().is(ValueKind::Object)) return {};
  scanner.skip_space();
  // The items of a list are objects of their own.
  bool list = document_.root()["items"].is(ValueKind::Array);
  single_ = scanner.at_end() && builder.duplicates().empty() && !list;
  return document_.root();
}

std::shared_ptr<const DecodedObject> TextDecoder::decode(const std::string& file, uint32_t number,
                                                         Vocabulary& vocabulary) {
  if (!single_ || input_format(file, "{") != InputFormat::JsonText) return nullptr;
  Report report;
  report.begin_file(file, number);
  FieldReader fields(vocabulary, report);
  ReadOptions options;
  ObjectLoader loader(fields, specs_, options, shard_ ? &*shard_ : nullptr);
  loader.keep_apart();
  loader.load(document_, {});
  return loader.take_object(document_.root()["metadata"]["name"]);
}

}  // namespace trellis
