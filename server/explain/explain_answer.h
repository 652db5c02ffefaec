// Answers a question about one pod, gang, workload, node, domain or queue of a finished cycle: for
// the command `explain` and for requests to the service.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/document/output_format.h"
#include "server/engine/engine.h"
#include "server/text/byte_sink.h"
#include "server/view/bar.h"
#include "server/view/text_table.h"

namespace trellis {

struct ExplainQuestion {
  enum class Kind : uint8_t { Pod, Gang, Workload, Node, Domain, Queue };
  Kind kind = Kind::Pod;
  std::string name_space;         // of a pod, a gang or a workload
  std::string name;               // of the object, or of a domain's topology
  std::vector<std::string> path;  // of a domain; empty: the whole topology
};

struct AnswerStyle {
  OutputFormat format = OutputFormat::Text;  // Text, Json or Yaml
  Glyphs glyphs = Glyphs::Unicode;
  TableForm form;
};

// Writes the answer and returns "", or returns an error: no object has this name, with the nearest
// name. `record` is of the last cycle that the engine ran or took over.
std::string explain(const ExplainQuestion& question, Engine& engine, const CycleRecord& record,
                    const AnswerStyle& style, ByteSink& out);

}  // namespace trellis
