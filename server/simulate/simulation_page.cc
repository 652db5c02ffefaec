#include "server/simulate/simulation_page.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "server/document/json_writer.h"
#include "server/page/report_page.h"
#include "server/simulate/plain_numbers.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 4> kScripts = {"/page/dom.js", "/page/format.js",
                                                      "/page/chart.js", "/page/simulation.js"};
constexpr int kHundredths = 100;

// As one script has it: without what joins modules.
std::string joined_module(std::string_view text) {
  constexpr std::string_view kExport = "export ";
  std::string joined;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("import ")) continue;
    if (line.starts_with(kExport)) line.remove_prefix(kExport.size());
    joined.append(line).append("\n");
  }
  return joined;
}

template <class Value>
void write_samples(DocumentWriter& out, std::string_view name, const SimulationResult& result,
                   Value value) {
  out.begin_array(name);
  for (const Sample& sample : result.samples) out.real(value(sample));
  out.end_array();
}

// The wait that so many hundredths of the gangs do not reach.
void write_waits(DocumentWriter& out, const SimulationResult& result) {
  std::vector<TimeUs> waits;
  for (const GangResult& gang : result.gangs) {
    if (gang.first_start != kNoTime) waits.push_back(gang.first_start - gang.arrival);
  }
  std::ranges::sort(waits);
  out.begin_array("waits");
  for (size_t i = 0; i < kHundredths && !waits.empty(); ++i) {
    out.real(plain_seconds(waits[i * (waits.size() - 1) / (kHundredths - 1)]));
  }
  out.end_array();
}

void write_over_time(DocumentWriter& out, const SimulationResult& result) {
  int64_t gpus = 0;
  for (const Sample& sample : result.samples) gpus = std::max(gpus, sample.all_gpu_milli);
  out.field("gpus", plain_gpus(gpus));
  write_samples(out, "times", result, [](const Sample& one) { return plain_seconds(one.at); });
  write_samples(out, "used", result,
                [](const Sample& one) { return plain_gpus(one.used_gpu_milli); });
  write_samples(out, "strandedGpus", result,
                [](const Sample& one) { return plain_gpus(one.stranded_gpu_milli); });
  write_samples(out, "waiting", result,
                [](const Sample& one) { return static_cast<double>(one.waiting); });
  out.begin_array("queues");
  for (const std::string& queue : result.queues) out.text(queue);
  out.end_array();
  out.begin_array("queueUsed");
  for (size_t queue = 0; queue < result.queues.size(); ++queue) {
    out.begin_array();
    for (const Sample& one : result.samples) out.real(plain_gpus(one.queue_used_gpu_milli[queue]));
    out.end_array();
  }
  out.end_array();
}

std::string page_data(std::span<const SimulatedConfiguration> configurations) {
  StringSink sink;
  JsonWriter out(sink, 0);
  out.begin_object();
  out.begin_array("configurations");
  for (const SimulatedConfiguration& configuration : configurations) {
    const SimulationFigures& figures = configuration.figures;
    out.begin_object();
    out.field("name", configuration.result.name);
    out.key("figures");
    write_configuration(out, configuration);
    out.field("stranded", figures.stranded);
    out.field("lostGpuHours", figures.all.lost_gpu_hours);
    out.field("domains", figures.domains);
    out.field("fewestDomains", figures.fewest_domains);
    out.field("fairness", figures.fairness);
    write_over_time(out, configuration.result);
    write_waits(out, configuration.result);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.finish();
  // A name must not end the element that holds the data.
  std::string text;
  for (char c : sink.text()) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

}  // namespace

void write_simulation_page(ByteSink& sink, std::span<const SimulatedConfiguration> configurations) {
  sink.write(report_head("Simulation"));
  sink.write("<main id=\"content\"></main>\n");
  sink.write("<script type=\"application/json\" id=\"simulation\">");
  sink.write(page_data(configurations));
  sink.write("</script>\n<script>\n\"use strict\";\n");
  for (std::string_view path : kScripts) sink.write(joined_module(page_file(path)));
  sink.write("</script>\n</body>\n</html>\n");
}

}  // namespace trellis
