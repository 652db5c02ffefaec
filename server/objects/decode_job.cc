#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "server/document/json_text.h"
#include "server/objects/decoders.h"
#include "server/objects/private_members.h"
#include "server/objects/run_time.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 17> kJobSpecKeys = {"parallelism",
                                                           "scheduling",
                                                           "completions",
                                                           "activeDeadlineSeconds",
                                                           "podFailurePolicy",
                                                           "successPolicy",
                                                           "backoffLimit",
                                                           "backoffLimitPerIndex",
                                                           "maxFailedIndexes",
                                                           "selector",
                                                           "manualSelector",
                                                           "template",
                                                           "ttlSecondsAfterFinished",
                                                           "completionMode",
                                                           "suspend",
                                                           "podReplacementPolicy",
                                                           "managedBy"};
constexpr std::array<std::string_view, 2> kCompletionModes = {"NonIndexed", "Indexed"};

std::optional<int64_t> take_index(std::string_view& text) {
  int64_t value = 0;
  auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || value < 0 || value > INT32_MAX) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// "0-3,5,7-9"; nullopt when the text is no list of ranges.
std::optional<std::vector<std::pair<int64_t, int64_t>>> parse_ranges(std::string_view text) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  while (!text.empty()) {
    std::optional<int64_t> first = take_index(text);
    std::optional<int64_t> last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_index(text);
    }
    if (!first || !last || *last < *first) return std::nullopt;
    ranges.emplace_back(*first, *last);
    if (text.empty()) break;
    if (text[0] != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return ranges;
}

void read_status(Value status, JobRecord& job, FieldReader& fields) {
  job.succeeded = fields.integer(status, "succeeded", 0, INT32_MAX).value_or(0);
  Value completed = status["completedIndexes"];
  if (auto ranges = parse_ranges(fields.string(status, "completedIndexes"))) {
    job.completed = std::move(*ranges);
  } else {
    fields.error(completed, describe(completed), "indexes such as \"0-3,5\"");
  }
  for (Value condition : fields.list(status, "conditions").items()) {
    fields.time(condition, "lastTransitionTime");
    std::string_view type = condition["type"].text();
    bool final = type == "Complete" || type == "Failed";
    if (final && condition["status"].text() == "True") job.over = true;
  }
  fields.time(status, "startTime");
  fields.time(status, "completionTime");
}

}  // namespace

std::shared_ptr<const JobRecord> decode_job(Value object, PodDecoder& pods, FieldReader& fields,
                                            bool keep_raw) {
  auto job = std::make_shared<JobRecord>();
  Value spec = fields.object(object, "spec");
  if (spec.absent() && object["spec"].absent()) fields.missing(object, "spec", "a template");
  fields.known_keys(spec, kJobSpecKeys);

  // When neither is given, both are 1. When parallelism alone is given, the success of any pod
  // completes the Job.
  std::optional<int64_t> parallelism = fields.integer(spec, "parallelism", 0, INT32_MAX);
  job->completions = fields.integer(spec, "completions", 0, INT32_MAX);
  if (!parallelism && !job->completions) job->completions = 1;
  job->parallelism = parallelism.value_or(1);
  Value at = spec[spec["parallelism"].absent() ? "completions" : "parallelism"];
  job->parallelism_at = fields.report().place(at.absent() ? object : at);
  job->indexed = fields.word(spec, "completionMode", kCompletionModes) == "Indexed";
  if (job->indexed && spec["completions"].absent()) {
    fields.missing(spec, "completions", "a whole number, as completionMode is Indexed");
  }
  job->over = fields.boolean(spec, "suspend");
  job->backoff_limit = fields.integer(spec, "backoffLimit", 0, INT32_MAX).value_or(6);
  job->deadline_us = decode_deadline(spec, fields);
  job->scheduling = decode_job_scheduling(spec, job->parallelism, fields);
  read_status(fields.object(object, "status"), *job, fields);

  Value pod_template = fields.object(spec, "template");
  if (pod_template.absent() && !spec.absent() && spec["template"].absent()) {
    fields.missing(spec, "template", "the pods to make");
  }
  if (pod_template.absent()) {
    job->over = true;  // there is nothing to make pods of
  } else {
    job->pod = pods.decode_template(pod_template);
  }
  if (keep_raw && !pod_template.absent()) {
    Value metadata = pod_template["metadata"];
    if (metadata["annotations"].size() > 0) {
      job->raw_annotations = json_text(metadata["annotations"]);
    }
    if (metadata["finalizers"].size() > 0) job->raw_finalizers = json_text(metadata["finalizers"]);
    Value pod_spec = pod_template["spec"];
    job->raw_spec = json_text(pod_spec, {}, private_members(pod_spec));
  }
  return job;
}

}  // namespace trellis
