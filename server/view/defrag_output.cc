#include "server/view/defrag_output.h"

#include <utility>
#include <vector>

#include "framework/reason_catalog.h"
#include "server/text/printable.h"
#include "server/view/standing_output.h"
#include "server/view/text_table.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"
#include "session/explain/domain_ref.h"

namespace trellis {
namespace {

double in_gpus(int64_t milli) { return static_cast<double>(milli) / kMilli; }

std::string name_of_node(const Session& session, NodeId node) {
  return session.cluster().nodes().contains(node) ? session.cluster().nodes()[node].name : "";
}

std::string counted_gangs(int64_t count) {
  return grouped_text(count) + (count == 1 ? " gang" : " gangs");
}

int64_t gang_count(const MovePlan& plan) {
  int64_t gangs = 0;
  for (const PlacedSet& set : plan.sets) gangs += static_cast<int64_t>(set.size());
  return gangs;
}

int64_t all_gain(const MovePlan& plan) {
  int64_t gain = 0;
  for (const PlacedSet& set : plan.sets) gain += set.gain;
  return gain / plan.worth_unit;
}

std::string ends_text(const Session& session, const GangMove& move, NodeId PodMove::*end) {
  std::vector<std::string> names;
  for (const PodMove& pod : move.pods) names.push_back(name_of_node(session, pod.*end));
  sort_unique(names);
  return names_text(names);
}

std::string moves_table(const Session& session, const MovePlan& plan, TableForm form) {
  TextTable table({{"SET", Align::Right},
                   {"GANG"},
                   {"GPUS", Align::Right},
                   {"FROM"},
                   {"TO"},
                   {"GPUS GAINED", Align::Right}});
  for (size_t i = 0; i < plan.sets.size(); ++i) {
    const PlacedSet& set = plan.sets[i];
    for (size_t k = 0; k < set.size(); ++k) {
      const GangMove& move = set.moves[k];
      bool last = k + 1 == set.size();
      table.add_row({{std::to_string(i + 1)},
                     {full_name(session.cluster(), move.gang->gang)},
                     {milli_text(move.gang->gpu_milli)},
                     {ends_text(session, move, &PodMove::from)},
                     {ends_text(session, move, &PodMove::to)},
                     {last ? milli_text(plan.gain_milli(set)) : ""}});
    }
  }
  return table.render(form);
}

std::string level_word(const DomainName& name) {
  return name.level == kHostname ? "node" : printable(short_level(name.level));
}

std::string room_cell(const Session& session, const LevelReading& room) {
  if (room.gpu_milli == 0) return "0 GPUs";
  DomainName name = name_of(session, {room.topology, room.domain});
  return milli_text(room.gpu_milli) + " GPUs, " + path_text(name.path);
}

std::string room_table(const Session& session, const MovePlan& plan, TableForm form) {
  TextTable table({{"ROOM"}, {"BEFORE"}, {"AFTER"}});
  for (size_t i = 0; i < plan.before.levels.size(); ++i) {
    const LevelReading& before = plan.before.levels[i];
    DomainName name = name_of(session, {before.topology, before.domain});
    table.add_row({{"largest gang in one " + level_word(name)},
                   {room_cell(session, before)},
                   {room_cell(session, plan.after.levels[i])}});
  }
  table.add_row({{"fragmentation"},
                 {percent_text(plan.before.fragmentation())},
                 {percent_text(plan.after.fragmentation())}});
  return table.render(form);
}

std::string plan_summary(const MovePlan& plan) {
  int64_t moving = gang_count(plan);
  std::string text = counted_gangs(moving) + (moving == 1 ? " moves" : " move");
  if (moving > 0) {
    text += " with " + milli_text(plan.moved_milli()) + " GPUs, " + milli_text(all_gain(plan)) +
            " GPUs gained";
  }
  for (const VerdictCount& other : plan.movable.others) {
    std::string_view sentence = reason_entry(other.code).sentence;
    text += "; " + counted_gangs(other.nodes) + " ";
    text +=
        sentence.empty() ? "held by " + std::string(to_string(other.code)) : std::string(sentence);
  }
  if (plan.cut) text += "; more sets of gangs were left untried";
  return text;
}

void write_reading(DocumentWriter& out, std::string_view key, const Session& session,
                   const RoomReading& room) {
  out.begin_object(key);
  out.begin_array("largestGangs");
  for (const LevelReading& level : room.levels) {
    out.begin_object();
    write_domain(out, name_of(session, {level.topology, level.domain}));
    out.field("gpus", in_gpus(level.gpu_milli));
    out.end_object();
  }
  out.end_array();
  out.field("free", in_gpus(room.free_milli));
  out.field("fragmentation", room.fragmentation());
  out.end_object();
}

void write_move(DocumentWriter& out, const Session& session, const GangMove& move) {
  const Cluster& cluster = session.cluster();
  const Gang& gang = cluster.gangs()[move.gang->gang];
  out.begin_object();
  out.field("namespace", cluster.vocabulary().strings.view(gang.name_space));
  out.field("gang", gang.name);
  out.field("gpus", in_gpus(move.gang->gpu_milli));
  out.begin_array("pods");
  for (const PodMove& pod : move.pods) {
    out.begin_object();
    out.field("name", cluster.pods()[pod.pod].pod.name);
    out.field("from", name_of_node(session, pod.from));
    out.field("to", name_of_node(session, pod.to));
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write_others(DocumentWriter& out, const MovePlan& plan) {
  out.begin_array("staying");
  for (const VerdictCount& other : plan.movable.others) {
    out.begin_object();
    out.field("code", to_string(other.code));
    out.field("gangs", other.nodes);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_plan(DocumentWriter& out, const Session& session, const MovePlan& plan) {
  out.begin_object();
  out.field("apiVersion", "trellis.scheduler/v1alpha1");
  out.field("kind", "MovePlan");
  out.begin_array("sets");
  for (const PlacedSet& set : plan.sets) {
    out.begin_object();
    out.field("movedGPUs", in_gpus(set.moved_milli));
    out.field("gainedGPUs", in_gpus(plan.gain_milli(set)));
    out.begin_array("moves");
    for (const GangMove& move : set.moves) write_move(out, session, move);
    out.end_array();
    out.end_object();
  }
  out.end_array();
  write_reading(out, "before", session, plan.before);
  write_reading(out, "after", session, plan.after);
  write_others(out, plan);
  out.field("searchedAll", !plan.cut);
  out.end_object();
  out.finish();
}

std::string plan_text(const Session& session, const MovePlan& plan, TableForm form) {
  std::string text;
  if (!plan.sets.empty()) text = moves_table(session, plan, form) + "\n";
  text += room_table(session, plan, form) + "\n";
  return text + styled(plan_summary(plan), Style::Bold, form.colours) + "\n";
}

}  // namespace trellis
