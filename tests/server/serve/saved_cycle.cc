#include "tests/server/serve/saved_cycle.h"

#include "server/document/json_writer.h"
#include "server/explain/explain_answer.h"
#include "server/serve/snapshot_text.h"
#include "server/view/decisions.h"

namespace trellis::test {

std::string decisions_json(const Cluster& cluster, const CycleRecord& record) {
  StringSink sink;
  JsonWriter out(sink, 2);
  write_decisions(out, cluster, record, 1);
  return sink.text();
}

std::string explanations(Engine& engine, const CycleRecord& record) {
  StringSink sink;
  const Cluster& cluster = engine.cluster();
  for (GangId gang : cluster.gangs_by_name()) {
    const Gang& named = cluster.gangs()[gang];
    ExplainQuestion question{
        .kind = ExplainQuestion::Kind::Gang,
        .name_space = std::string(cluster.vocabulary().strings.view(named.name_space)),
        .name = named.name};
    sink.write(explain(question, engine, record, {.format = OutputFormat::JsonText}, sink));
  }
  return sink.text();
}

SavedCycle save_cycle(Observer& observer) {
  SavedCycle saved;
  observer.ask([&](const Observer::View& view) {
    StringSink sink;
    write_snapshot(sink, view);
    saved.snapshot = sink.text();
    saved.decisions = decisions_json(view.engine.cluster(), *view.cycle.record);
    saved.explanations = explanations(view.engine, *view.cycle.record);
  });
  return saved;
}

}  // namespace trellis::test
