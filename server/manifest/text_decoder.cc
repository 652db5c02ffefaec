#include "server/manifest/text_decoder.h"

#include <utility>

#include "server/document/document_builder.h"
#include "server/document/field_reader.h"
#include "server/document/json_scanner.h"
#include "server/document/report.h"
#include "server/manifest/input_files.h"
#include "server/manifest/object_loader.h"
#include "server/objects/dependency_recorder.h"

namespace trellis {

Value TextDecoder::scan(const StoredText& text) {
  DocumentBuilder builder(document_);
  text.copy_to(text_);
  JsonScanner scanner(text_);
  single_ = false;
  if (!scanner.read_value(builder) || !document_.root().is(ValueKind::Object)) return {};
  scanner.skip_space();
  // The items of a list are objects of their own.
  bool list = document_.root()["items"].is(ValueKind::Array);
  single_ = scanner.at_end() && builder.duplicates().empty() && !list;
  return single_ ? document_.root() : Value();
}

DecodedText TextDecoder::decode(std::string_view file, uint32_t number, Vocabulary& vocabulary) {
  Report report;
  report.begin_file(file, number);
  DependencyRecorder dependencies(shard_ ? PodsRead::Nodes : PodsRead::NoNodes);
  FieldReader fields(vocabulary, report, &dependencies);
  ReadOptions options;
  ObjectLoader loader(fields, specs_, options, shard_ ? &*shard_ : nullptr);
  loader.keep_apart();
  DecodedText decoded;
  if (single_ && input_format(file, "{") == InputFormat::JsonText) {
    loader.load(document_, {});
    decoded.object = loader.take_object(document_.root()["metadata"]["name"]);
  } else {
    read_documents(text_, {.file = file,
                           .diagnostics = &report.diagnostics(),
                           .document = [&](const Document& document,
                                           const ListHead& head) { loader.load(document, head); },
                           .progress = {}});
  }
  decoded.dependencies = dependencies.take();
  return decoded;
}

}  // namespace trellis
