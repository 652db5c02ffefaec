#include "server/view/gpu_output.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "framework/topology.h"
#include "server/text/printable.h"
#include "server/view/standing_output.h"
#include "server/view/text_table.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

double gpus(int64_t milli) { return static_cast<double>(milli) / kMilli; }

double part_of(int64_t amount, int64_t whole) {
  return whole > 0 ? static_cast<double>(amount) / static_cast<double>(whole) : 0;
}

std::string cause_text(StrandCause cause) {
  switch (cause) {
    case StrandCause::Cpu:
      return "for want of CPUs";
    case StrandCause::Memory:
      return "for want of memory";
    case StrandCause::Sharing:
      return "in parts of shared GPUs that are too small";
    case StrandCause::Size:
      return "on nodes with too few free GPUs for a pod";
    case StrandCause::Rules:
      return "on nodes that refuse the pods";
    case StrandCause::Topology:
      return "in domains with too little room for the gang";
    case StrandCause::Quota:
      return "beyond the quota of the queues";
  }
  return "";
}

StrandCause cause_at(size_t index) { return static_cast<StrandCause>(index); }

std::string amount_text(int64_t milli) { return people_quantity_text(milli, Unit::MilliGpu); }

std::string stranded_text(const GpuReport& report) {
  std::string text = amount_text(report.all_stranded()) + " of " + amount_text(report.free) +
                     " free GPUs (" + percent_text(part_of(report.all_stranded(), report.free)) +
                     ")";
  std::string_view before = ": ";
  for (size_t i = 0; i < kStrandCauses; ++i) {
    if (report.stranded[i] == 0) continue;
    text.append(before).append(amount_text(report.stranded[i])).append(" ");
    text += cause_text(cause_at(i));
    before = ", ";
  }
  return text;
}

std::string largest_text(const Session& session, const GpuReport& report,
                         const LargestGang& largest) {
  std::string text = amount_text(largest.gpu_milli) + " GPUs, " + pods_text(largest.pods);
  if (!report.mix.empty()) text += " like those of " + printable(report.mix[largest.kind].owner);
  return text + ", in " + path_text(name_of(session, largest.domain).path);
}

void write_stranded(DocumentWriter& out, const GpuReport& report) {
  out.begin_object("stranded");
  out.field("total", gpus(report.all_stranded()));
  for (size_t i = 0; i < kStrandCauses; ++i) {
    if (report.stranded[i] > 0) out.field(to_string(cause_at(i)), gpus(report.stranded[i]));
  }
  out.end_object();
}

void write_largest(DocumentWriter& out, const Session& session, const GpuReport& report) {
  out.begin_array("largestGangs");
  for (const LargestGang& largest : report.largest) {
    out.begin_object();
    write_domain(out, name_of(session, largest.domain));
    out.field("gpus", gpus(largest.gpu_milli));
    out.field("pods", largest.pods);
    if (!report.mix.empty()) out.field("owner", report.mix[largest.kind].owner);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_gpus(DocumentWriter& out, const Session& session, const GpuReport& report) {
  out.begin_object("gpus");
  out.field("total", gpus(report.total));
  out.field("allocated", gpus(report.allocated));
  out.field("free", gpus(report.free));
  out.field("closed", gpus(report.closed));
  out.field("allocationRate", report.allocation_rate());
  out.field("fragmentation", report.fragmentation);
  write_stranded(out, report);
  out.begin_array("mix");
  for (const GpuKind& kind : report.mix) {
    out.begin_object();
    out.field("owner", kind.owner);
    out.field("pods", kind.pods);
    out.field("gpusEach", gpus(kind.gpu_milli));
    out.end_object();
  }
  out.end_array();
  write_largest(out, session, report);
  out.end_object();
}

std::string gpu_lines(const Session& session, const GpuReport& report, Colours colours) {
  if (report.total == 0) return "";
  std::vector<std::pair<std::string, std::string>> lines;
  std::string free = amount_text(report.free) + " free";
  if (report.closed > 0) free += ", " + amount_text(report.closed) + " idle on closed nodes";
  lines.emplace_back("allocated", amount_text(report.allocated) + " of " +
                                      amount_text(report.total) + " GPUs (" +
                                      percent_text(report.allocation_rate()) + "), " + free);
  if (!report.mix.empty()) {
    lines.emplace_back("stranded", stranded_text(report));
    lines.emplace_back("fragmentation",
                       percent_text(report.fragmentation) +
                           " of the free GPUs are of no use to a pod, in the mean over " +
                           grouped_text(report.mix_pods()) +
                           (report.mix_pods() == 1 ? " pod" : " pods") + " of " +
                           grouped_text(static_cast<int64_t>(report.mix.size())) +
                           (report.mix.size() == 1 ? " kind" : " kinds"));
  }
  for (const LargestGang& largest : report.largest) {
    DomainName name = name_of(session, largest.domain);
    std::string level = name.level == kHostname ? "node" : printable(short_level(name.level));
    lines.emplace_back("largest gang in one " + level, largest_text(session, report, largest));
  }
  size_t width = 0;
  for (const auto& [name, text] : lines) width = std::max(width, display_width(name));
  std::string out = styled("GPUs of the cluster:", Style::Bold, colours) + "\n";
  for (const auto& [name, text] : lines) {
    out += name + std::string(width - display_width(name) + 2, ' ') + text + "\n";
  }
  return out;
}

}  // namespace trellis
