#include "server/explain/named_question.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "server/view/name_search.h"
#include "server/view/object_names.h"
#include "server/view/owner_search.h"

namespace trellis {
namespace {

using QuestionKind = ExplainQuestion::Kind;

std::string_view name_of(QuestionKind kind) {
  switch (kind) {
    case QuestionKind::Pod:
      return "pod";
    case QuestionKind::Gang:
      return "gang";
    case QuestionKind::Workload:
      return "workload";
    case QuestionKind::Node:
      return "node";
    case QuestionKind::Domain:
      return "domain";
    case QuestionKind::Queue:
      return "queue";
  }
  return "";
}

std::vector<std::string> names_of(QuestionKind kind, const Session& session) {
  const Cluster& cluster = session.cluster();
  switch (kind) {
    case QuestionKind::Pod:
      return pod_names(cluster);
    case QuestionKind::Gang:
      return gang_names(cluster);
    case QuestionKind::Workload:
      return workload_names(cluster);
    case QuestionKind::Node:
      return node_names(cluster);
    case QuestionKind::Domain:
      return domain_names(session);
    case QuestionKind::Queue:
      break;
  }
  std::vector<std::string> names = queue_names(cluster);
  for (std::string& name : cluster_queue_names(cluster)) names.push_back(std::move(name));
  return names;
}

std::string word_of(const ExplainQuestion& question) {
  std::string word = question.name_space.empty() ? "" : question.name_space + "/";
  word += question.name;
  for (const std::string& value : question.path) word += "/" + value;
  return word;
}

ExplainQuestion question_of(QuestionKind kind, const std::string& name) {
  ExplainQuestion question{.kind = kind};
  bool namespaced =
      kind == QuestionKind::Pod || kind == QuestionKind::Gang || kind == QuestionKind::Workload;
  size_t slash = name.find('/');
  if (kind == QuestionKind::Node || kind == QuestionKind::Queue || slash == std::string::npos) {
    question.name = name;
    return question;
  }
  std::string first = name.substr(0, slash);
  std::string rest = name.substr(slash + 1);
  if (namespaced) {
    question.name_space = std::move(first);
    question.name = std::move(rest);
    return question;
  }
  question.name = std::move(first);
  while (true) {
    slash = rest.find('/');
    question.path.push_back(rest.substr(0, slash));
    if (slash == std::string::npos) return question;
    rest.erase(0, slash + 1);
  }
}

bool waits(const Cluster& cluster, const CycleRecord& record, QuestionKind kind,
           const std::string& name) {
  if (kind == QuestionKind::Gang) {
    size_t slash = name.find('/');
    GangId gang = cluster.find_gang(name.substr(0, slash), name.substr(slash + 1));
    return gang.valid() && record.gangs[gang].status == GangStatus::Pending;
  }
  WorkloadId workload = cluster.workloads().workloads().find(name);
  return workload.valid() && record.workloads[workload].reasons != nullptr;
}

MadeObjects made_by(const OwnerName& owner, const Cluster& cluster,
                    const std::vector<std::string>& gangs) {
  std::vector<const Pod*> pods;
  for (PodId pod : cluster.pods_by_name()) pods.push_back(&cluster.pods()[pod].pod);
  return made_by(owner, {gangs, workload_names(cluster), pods, cluster.vocabulary().strings});
}

// Of several the first that waits, else the first.
CompletedQuestion about_owner(const ExplainQuestion& question, const std::string& owner,
                              const Cluster& cluster, const CycleRecord& record) {
  const std::vector<std::string> gangs = gang_names(cluster);
  MadeObjects made = made_by({owner, question.name_space, question.name}, cluster, gangs);
  if (made.names.empty()) {
    FoundName found = find_name(owner, word_of(question), gangs);
    if (!found.error.empty()) return {.error = std::move(found.error)};
    return {.question = question_of(QuestionKind::Gang, found.name)};
  }
  QuestionKind kind =
      made.kind == MadeObjects::Kind::Gang ? QuestionKind::Gang : QuestionKind::Workload;
  auto waiting = std::find_if(made.names.begin(), made.names.end(), [&](const std::string& name) {
    return waits(cluster, record, kind, name);
  });
  bool any_waits = waiting != made.names.end();
  const std::string& chosen = any_waits ? *waiting : made.names.front();
  CompletedQuestion completed{.question = question_of(kind, chosen)};
  if (made.names.size() > 1) {
    completed.note = owner + " " + word_of(question) + " has " + std::to_string(made.names.size()) +
                     " " + std::string(name_of(made.kind)) + "s; " + chosen + " is the first" +
                     (any_waits ? " that waits" : "");
  } else if (made.by_pods) {
    completed.note = "the pods of " + owner + " " + word_of(question) + " are in gang " + chosen;
  }
  return completed;
}

// About the ClusterQueue of the one LocalQueue of this name. nullopt: a queue has the name, or none
// or several LocalQueues have.
std::optional<CompletedQuestion> about_local_queue(const std::string& name,
                                                   const Cluster& cluster) {
  const WorkloadRecords& records = cluster.workloads();
  auto is_name = [&](const std::string& one) { return one == name; };
  if (std::ranges::any_of(queue_names(cluster), is_name)) return std::nullopt;
  if (std::ranges::any_of(cluster_queue_names(cluster), is_name)) return std::nullopt;
  const LocalQueue* found = nullptr;
  for (const LocalQueue& queue : records.local_queues().all()) {
    if (queue.name != name) continue;
    if (found != nullptr) return std::nullopt;
    found = &queue;
  }
  if (found == nullptr || !found->cluster_queue.valid()) return std::nullopt;
  const StringTable& strings = cluster.vocabulary().strings;
  std::string above(strings.view(found->cluster_queue));
  std::string full = std::string(strings.view(found->name_space)) + "/" + name;
  return CompletedQuestion{.question = question_of(QuestionKind::Queue, above),
                           .note = "LocalQueue " + full + " is of ClusterQueue " + above};
}

}  // namespace

CompletedQuestion complete(const ExplainQuestion& question, const std::string& owner,
                           Engine& engine, const CycleRecord& record) {
  const Session& session = engine.scheduler().session();
  if (!owner.empty()) return about_owner(question, owner, session.cluster(), record);
  if (question.kind == QuestionKind::Queue) {
    auto answer = about_local_queue(question.name, session.cluster());
    if (answer) return std::move(*answer);
  }
  FoundName found =
      find_name(name_of(question.kind), word_of(question), names_of(question.kind, session));
  if (found.error.empty()) return {.question = question_of(question.kind, found.name)};
  bool whole = question.kind == QuestionKind::Domain && !question.path.empty();
  if (whole && !session.cluster().find_topology(question.name).valid()) {
    return {.error = no_such("topology", question.name, topology_names(session.cluster()))};
  }
  return {.error = std::move(found.error)};
}

CompletedQuestion complete_any(const std::string& name, Engine& engine) {
  const Session& session = engine.scheduler().session();
  for (QuestionKind kind :
       {QuestionKind::Gang, QuestionKind::Workload, QuestionKind::Pod, QuestionKind::Node}) {
    std::vector<std::string> names = names_of(kind, session);
    bool any = std::ranges::any_of(
        names, [&](const std::string& one) { return one == name || one.ends_with("/" + name); });
    if (!any) continue;
    FoundName found = find_name(name_of(kind), name, names);
    if (!found.error.empty()) return {.error = std::move(found.error)};
    return {.question = question_of(kind, found.name)};
  }
  return {};
}

}  // namespace trellis
