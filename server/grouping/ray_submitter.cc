#include "server/grouping/ray_submitter.h"

#include <string>
#include <string_view>

#include "server/document/document_builder.h"
#include "server/document/json_objects.h"
#include "server/document/json_scanner.h"
#include "server/document/json_text.h"
#include "server/grouping/owner_pods.h"

namespace trellis {
namespace {

constexpr int64_t kBackoffLimit = 2;

// The container that KubeRay makes where no submitterPodTemplate is given.
constexpr std::string_view kContainer =
    R"({"name":"ray-job-submitter","resources":{"limits":{"cpu":"1","memory":"1Gi"},)"
    R"("requests":{"cpu":"500m","memory":"200Mi"}}})";

std::shared_ptr<const PodTemplateRecord> read_text(const std::string& text, PodDecoder& pods,
                                                   bool keep_raw) {
  Document document;
  DocumentBuilder builder(document);
  JsonScanner(text).read_value(builder);
  return read_pod_template(document.root(), pods, keep_raw);
}

}  // namespace

std::shared_ptr<const JobRecord> read_ray_submitter(Value spec, PodDecoder& pods,
                                                    FieldReader& fields, bool keep_raw) {
  std::string_view mode = spec["submissionMode"].text();
  if (!mode.empty() && mode != "K8sJobMode") return nullptr;
  Value given = spec["submitterPodTemplate"];
  std::string made = R"({"spec":{"restartPolicy":"Never","containers":[)";
  made.append(kContainer).append("]}}");
  auto job = std::make_shared<JobRecord>();
  static_cast<PodTemplateRecord&>(*job) = given["spec"].is(ValueKind::Object)
                                              ? *read_pod_template(given, pods, keep_raw)
                                              : *read_text(made, pods, keep_raw);
  job->completions = 1;
  Value config = fields.object(spec, "submitterConfig");
  job->backoff_limit = fields.integer(config, "backoffLimit", 0, INT32_MAX).value_or(kBackoffLimit);
  job->parallelism_at = fields.report().place(spec);
  return job;
}

std::shared_ptr<const PodTemplateRecord> read_ray_job_head(Value spec, PodDecoder& pods,
                                                           bool keep_raw) {
  Value head = spec["rayClusterSpec"]["headGroupSpec"]["template"];
  if (!head["spec"].is(ValueKind::Object)) return nullptr;
  bool beside = spec["submissionMode"].text() == "SidecarMode" &&
                head["spec"]["containers"].is(ValueKind::Array);
  if (!beside) return read_pod_template(head, pods, keep_raw);
  Json changed = parse_object(json_text(head));
  changed["spec"]["containers"].push_back(parse_object(std::string(kContainer)));
  return read_text(one_line(changed), pods, keep_raw);
}

}  // namespace trellis
