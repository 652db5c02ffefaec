// A question about one pod, gang, workload, node, domain or queue of a finished cycle, answered:
// for `explain` and for questions to the service.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/document/output_format.h"
#include "server/engine/engine.h"
#include "server/text/byte_sink.h"
#include "server/text/style.h"
#include "server/view/bar.h"

namespace trellis {

struct ExplainQuestion {
  enum class Kind : uint8_t { Pod, Gang, Workload, Node, Domain, Queue };
  Kind kind = Kind::Pod;
  std::string name_space;         // of a pod, a gang or a workload
  std::string name;               // of what is asked about, or of a domain's topology
  std::vector<std::string> path;  // of a domain; empty: the whole topology
};

struct AnswerStyle {
  OutputFormat format = OutputFormat::Text;  // Text, Json or Yaml
  Glyphs glyphs = Glyphs::Unicode;
  Colours colours = Colours::Off;
};

// Writes the answer, or gives back why there is none: nothing of that name, and the nearest.
// `record` is of the last cycle that the engine ran or took over.
std::string explain(const ExplainQuestion& question, Engine& engine, const CycleRecord& record,
                    const AnswerStyle& style, ByteSink& out);

}  // namespace trellis
