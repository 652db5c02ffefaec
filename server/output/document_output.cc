#include "server/output/document_output.h"

#include "server/output/json_writer.h"
#include "server/output/yaml_writer.h"

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
