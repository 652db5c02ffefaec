#include "server/document/document_output.h"

#include "server/document/json_writer.h"
#include "server/document/yaml_writer.h"

namespace trellis {

void write_document(ByteSink& sink, OutputFormat format, size_t expanded_depth,
                    const std::function<void(DocumentWriter&)>& write) {
  if (format == OutputFormat::Yaml) {
    YamlWriter writer(sink);
    write(writer);
  } else {
    JsonWriter writer(sink, expanded_depth);
    write(writer);
  }
}

}  // namespace trellis
