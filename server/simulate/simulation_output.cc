#include "server/simulate/simulation_output.h"

#include <string_view>
#include <utility>
#include <vector>

#include "framework/time.h"
#include "server/document/document_writer.h"
#include "server/simulate/csv_table.h"
#include "server/simulate/plain_numbers.h"
#include "server/wording/quantity_text.h"

namespace trellis {
namespace {

// 95 -> "95 s", 7260 -> "2.0 h".
std::string span_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 86400;
  if (seconds < 2 * kMinute) return fixed_text(seconds, 0) + " s";
  if (seconds < 2 * kHour) return fixed_text(seconds / kMinute, 0) + " min";
  if (seconds < 2 * kDay) return fixed_text(seconds / kHour, 1) + " h";
  return fixed_text(seconds / kDay, 1) + " d";
}

std::string spread_text(const SimulationFigures& figures) {
  if (figures.fewest_domains == 0) return "-";
  double over = static_cast<double>(figures.domains) / static_cast<double>(figures.fewest_domains);
  return fixed_text(over, 2);
}

std::vector<Cell> configuration_row(const SimulatedConfiguration& configuration) {
  const SimulationFigures& figures = configuration.figures;
  const GangFigures& all = figures.all;
  return {{configuration.result.name},
          {grouped_text(all.finished) + "/" + grouped_text(all.gangs)},
          {span_text(all.wait_seconds.mean)},
          {span_text(all.wait_seconds.p50)},
          {span_text(all.wait_seconds.p95)},
          {span_text(all.wait_seconds.p99)},
          {span_text(all.completion_seconds.mean)},
          {fixed_text(all.bounded_slowdown.mean, 2)},
          {percent_text(figures.gpu_utilization)},
          {percent_text(figures.stranded)},
          {grouped_text(all.evictions)},
          {fixed_text(all.lost_gpu_hours, 1)},
          {spread_text(figures)},
          {span_text(figures.makespan_seconds)}};
}

std::string queues_table(std::span<const SimulatedConfiguration> configurations, TableForm form) {
  TextTable table({{"CONFIGURATION"},
                   {"QUEUE"},
                   {"FINISHED", Align::Right},
                   {"WAIT MEAN", Align::Right},
                   {"P95", Align::Right},
                   {"SLOWDOWN", Align::Right},
                   {"GPU HOURS", Align::Right},
                   {"EVICTIONS", Align::Right}});
  bool any = false;
  for (const SimulatedConfiguration& configuration : configurations) {
    for (const SimulatedQueue& queue : configuration.figures.queues) {
      const GangFigures& figures = queue.figures;
      any = true;
      table.add_row({{configuration.result.name},
                     {queue.name},
                     {grouped_text(figures.finished) + "/" + grouped_text(figures.gangs)},
                     {span_text(figures.wait_seconds.mean)},
                     {span_text(figures.wait_seconds.p95)},
                     {fixed_text(figures.bounded_slowdown.mean, 2)},
                     {fixed_text(figures.gpu_hours, 1)},
                     {grouped_text(figures.evictions)}});
    }
  }
  return any ? "\n" + table.render(form) : "";
}

void write_distribution(DocumentWriter& out, std::string_view name, const Distribution& values) {
  out.begin_object(name);
  out.field("mean", values.mean);
  out.field("p50", values.p50);
  out.field("p95", values.p95);
  out.field("p99", values.p99);
  out.end_object();
}

void write_queue(DocumentWriter& out, const SimulatedQueue& queue) {
  const GangFigures& figures = queue.figures;
  out.begin_object();
  out.field("name", queue.name);
  out.field("gangs", figures.gangs);
  out.field("finished", figures.finished);
  write_distribution(out, "waitSeconds", figures.wait_seconds);
  write_distribution(out, "completionSeconds", figures.completion_seconds);
  write_distribution(out, "boundedSlowdown", figures.bounded_slowdown);
  out.field("gpuHours", figures.gpu_hours);
  out.field("evictions", figures.evictions);
  out.end_object();
}

using CsvFields = std::vector<std::pair<std::string, std::string>>;  // name, value

void add_distribution(CsvFields& fields, const std::string& name, const Distribution& values) {
  fields.emplace_back(name + "_mean", number_text(values.mean));
  fields.emplace_back(name + "_p50", number_text(values.p50));
  fields.emplace_back(name + "_p95", number_text(values.p95));
  fields.emplace_back(name + "_p99", number_text(values.p99));
}

CsvFields figure_fields(const SimulatedConfiguration& configuration) {
  const SimulationFigures& figures = configuration.figures;
  CsvFields fields = {{"configuration", csv_field(configuration.result.name)},
                      {"gangs", std::to_string(figures.all.gangs)},
                      {"finished", std::to_string(figures.all.finished)},
                      {"turned_away", std::to_string(figures.all.turned_away)}};
  add_distribution(fields, "wait_seconds", figures.all.wait_seconds);
  add_distribution(fields, "completion_seconds", figures.all.completion_seconds);
  add_distribution(fields, "bounded_slowdown", figures.all.bounded_slowdown);
  fields.emplace_back("gpu_utilization", number_text(figures.gpu_utilization));
  fields.emplace_back("gpu_stranded", number_text(figures.stranded));
  fields.emplace_back("evictions", std::to_string(figures.all.evictions));
  fields.emplace_back("lost_gpu_hours", number_text(figures.all.lost_gpu_hours));
  fields.emplace_back("makespan_seconds", number_text(figures.makespan_seconds));
  fields.emplace_back("domains", std::to_string(figures.domains));
  fields.emplace_back("fewest_domains", std::to_string(figures.fewest_domains));
  fields.emplace_back("fairness", number_text(figures.fairness));
  return fields;
}

std::string moment_text(TimeUs time) {
  return time == kNoTime ? "null" : number_text(plain_seconds(time));
}

std::string gang_line(const GangResult& gang) {
  std::string line = "\"name\":";
  append_quoted(line, gang.name);
  line += ",\"arrival\":" + moment_text(gang.arrival);
  line += ",\"start\":" + moment_text(gang.first_start);
  line += ",\"end\":" + moment_text(gang.end);
  line += ",\"gpus\":" + number_text(plain_gpus(gang.gpu_milli));
  line += ",\"domains\":[";
  for (size_t i = 0; i < gang.domains.size(); ++i) {
    if (i > 0) line += ',';
    append_quoted(line, gang.domains[i]);
  }
  return line + "],\"evictions\":" + std::to_string(gang.evictions) + "}\n";
}

}  // namespace

std::string simulation_table(std::span<const SimulatedConfiguration> configurations,
                             TableForm form) {
  TextTable table({{"CONFIGURATION"},
                   {"FINISHED", Align::Right},
                   {"WAIT MEAN", Align::Right},
                   {"P50", Align::Right},
                   {"P95", Align::Right},
                   {"P99", Align::Right},
                   {"COMPLETION", Align::Right},
                   {"SLOWDOWN", Align::Right},
                   {"GPUS IN USE", Align::Right},
                   {"STRANDED", Align::Right},
                   {"EVICTIONS", Align::Right},
                   {"LOST GPU HOURS", Align::Right},
                   {"DOMAINS", Align::Right},
                   {"MAKESPAN", Align::Right}});
  for (const SimulatedConfiguration& configuration : configurations) {
    table.add_row(configuration_row(configuration));
  }
  return table.render(form) + queues_table(configurations, form);
}

void write_configuration(DocumentWriter& out, const SimulatedConfiguration& configuration) {
  const SimulationFigures& figures = configuration.figures;
  out.begin_object();
  out.field("name", configuration.result.name);
  out.field("gangs", figures.all.gangs);
  out.field("finished", figures.all.finished);
  write_distribution(out, "waitSeconds", figures.all.wait_seconds);
  write_distribution(out, "completionSeconds", figures.all.completion_seconds);
  write_distribution(out, "boundedSlowdown", figures.all.bounded_slowdown);
  out.field("gpuUtilization", figures.gpu_utilization);
  out.field("evictions", figures.all.evictions);
  out.field("makespanSeconds", figures.makespan_seconds);
  out.begin_array("queues");
  for (const SimulatedQueue& queue : figures.queues) write_queue(out, queue);
  out.end_array();
  out.end_object();
}

void write_simulation(DocumentWriter& out, std::span<const SimulatedConfiguration> configurations) {
  out.begin_object();
  out.field("kind", "Simulation");
  out.begin_array("configurations");
  for (const SimulatedConfiguration& configuration : configurations) {
    write_configuration(out, configuration);
  }
  out.end_array();
  out.end_object();
  out.finish();
}

std::string simulation_csv(std::span<const SimulatedConfiguration> configurations) {
  std::string text;
  for (const SimulatedConfiguration& configuration : configurations) {
    CsvFields fields = figure_fields(configuration);
    std::string head;
    std::string row;
    for (const auto& [name, value] : fields) {
      head += (head.empty() ? "" : ",") + name;
      row += (row.empty() ? "" : ",") + value;
    }
    if (text.empty()) text = head + "\n";
    text += row + "\n";
  }
  return text;
}

void write_gangs(ByteSink& sink, std::span<const SimulatedConfiguration> configurations) {
  for (const SimulatedConfiguration& configuration : configurations) {
    std::string begin = "{";
    if (configurations.size() > 1) {
      begin += "\"configuration\":";
      append_quoted(begin, configuration.result.name);
      begin += ',';
    }
    for (const GangResult& gang : configuration.result.gangs) sink.write(begin + gang_line(gang));
  }
}

void write_series(ByteSink& sink, std::span<const SimulatedConfiguration> configurations) {
  std::string head = "configuration,time,arrived_gpus,gpus_in_use,gpus_stranded,gpus,waiting";
  if (!configurations.empty()) {
    for (const std::string& queue : configurations.front().result.queues) {
      head += "," + csv_field("gpus_of_" + queue);
    }
  }
  sink.write(head + "\n");
  for (const SimulatedConfiguration& configuration : configurations) {
    for (const Sample& sample : configuration.result.samples) {
      std::string row = csv_field(configuration.result.name);
      row += "," + number_text(plain_seconds(sample.at));
      for (int64_t milli : {sample.arrived_gpu_milli, sample.used_gpu_milli,
                            sample.stranded_gpu_milli, sample.all_gpu_milli}) {
        row += "," + number_text(plain_gpus(milli));
      }
      row += "," + std::to_string(sample.waiting);
      for (int64_t milli : sample.queue_used_gpu_milli) row += "," + number_text(plain_gpus(milli));
      sink.write(row + "\n");
    }
  }
}

}  // namespace trellis
