#include "server/explain/named_question.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "server/view/name_search.h"
#include "server/view/object_names.h"

namespace trellis {
namespace {

using Kind = ExplainQuestion::Kind;

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::Pod:
      return "pod";
    case Kind::Gang:
      return "gang";
    case Kind::Workload:
      return "workload";
    case Kind::Node:
      return "node";
    case Kind::Domain:
      return "domain";
    case Kind::Queue:
      return "queue";
  }
  return "";
}

std::vector<std::string> names_of(Kind kind, const Session& session) {
  const Cluster& cluster = session.cluster();
  switch (kind) {
    case Kind::Pod:
      return pod_names(cluster);
    case Kind::Gang:
      return gang_names(cluster);
    case Kind::Workload:
      return workload_names(cluster);
    case Kind::Node:
      return node_names(cluster);
    case Kind::Domain:
      return domain_names(session);
    case Kind::Queue:
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

ExplainQuestion question_of(Kind kind, const std::string& name) {
  ExplainQuestion question{.kind = kind};
  bool namespaced = kind == Kind::Pod || kind == Kind::Gang || kind == Kind::Workload;
  size_t slash = name.find('/');
  if (kind == Kind::Node || kind == Kind::Queue || slash == std::string::npos) {
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

// The gangs that an object of this kind and name makes: named like it, or with its kind before the
// name where several objects share the name, or, of kinds that make several, with more behind it.
std::vector<std::string> gangs_of_owner(const std::string& owner, const ExplainQuestion& question,
                                        const std::vector<std::string>& names) {
  const std::string with_kind = owner + "." + question.name;
  const std::string begin = question.name + "-";
  std::array<std::vector<std::string>, 3> made;
  for (const std::string& name : names) {
    size_t slash = name.find('/');
    std::string_view own = std::string_view(name).substr(slash + 1);
    if (!question.name_space.empty() && name.substr(0, slash) != question.name_space) continue;
    if (own == with_kind) made[0].push_back(name);
    if (own == question.name) made[1].push_back(name);
    if (own.starts_with(begin)) made[2].push_back(name);
  }
  for (std::vector<std::string>& gangs : made) {
    if (!gangs.empty()) return std::move(gangs);
  }
  return {};
}

bool waits(const Cluster& cluster, const CycleRecord& record, const std::string& name) {
  size_t slash = name.find('/');
  GangId gang = cluster.find_gang(name.substr(0, slash), name.substr(slash + 1));
  return gang.valid() && record.gangs[gang].status == GangStatus::Pending;
}

// Of several gangs the first that waits, else the first.
CompletedQuestion about_owner(const ExplainQuestion& question, const std::string& owner,
                              const Cluster& cluster, const CycleRecord& record) {
  std::vector<std::string> names = gang_names(cluster);
  std::vector<std::string> made = gangs_of_owner(owner, question, names);
  if (made.empty()) {
    FoundName found = find_name(owner, word_of(question), names);
    if (!found.error.empty()) return {.error = std::move(found.error)};
    return {.question = question_of(Kind::Gang, found.name)};
  }
  auto waiting = std::find_if(made.begin(), made.end(), [&](const std::string& name) {
    return waits(cluster, record, name);
  });
  const std::string& chosen = waiting != made.end() ? *waiting : made.front();
  CompletedQuestion completed{.question = question_of(Kind::Gang, chosen)};
  if (made.size() > 1) {
    completed.note = owner + " " + word_of(question) + " has " + std::to_string(made.size()) +
                     " gangs; " + chosen + " is the first" +
                     (waiting != made.end() ? " that waits" : "");
  }
  return completed;
}

}  // namespace

CompletedQuestion complete(const ExplainQuestion& question, const std::string& owner,
                           Engine& engine, const CycleRecord& record) {
  const Session& session = engine.scheduler().session();
  if (!owner.empty()) return about_owner(question, owner, session.cluster(), record);
  FoundName found =
      find_name(name_of(question.kind), word_of(question), names_of(question.kind, session));
  if (found.error.empty()) return {.question = question_of(question.kind, found.name)};
  bool whole = question.kind == Kind::Domain && !question.path.empty();
  if (whole && !session.cluster().find_topology(question.name).valid()) {
    return {.error = no_such("topology", question.name, topology_names(session.cluster()))};
  }
  return {.error = std::move(found.error)};
}

}  // namespace trellis
