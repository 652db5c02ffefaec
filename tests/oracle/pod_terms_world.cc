#include "tests/oracle/pod_terms_world.h"

#include <algorithm>
#include <sstream>

namespace trellis::oracle {
namespace {

const std::vector<std::string> kNameSpaces = {"x", "y", "z"};
const std::vector<std::string> kKeys = {"zone", "rack", "kubernetes.io/hostname"};

Labels labels_of(StringTable& strings, const Words& words) {
  Labels labels;
  for (const auto& [key, value] : words) {
    labels.push_back({strings.intern(key), strings.intern(value)});
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::vector<Requirement> requirements_of(StringTable& strings, const ModelRequirements& from) {
  std::vector<Requirement> requirements;
  for (const ModelRequirement& item : from) {
    Requirement& made = requirements.emplace_back();
    made.key = strings.intern(item.key);
    made.op = item.op;
    for (const std::string& value : item.values) made.values.push_back(strings.intern(value));
  }
  return requirements;
}

std::vector<StrId> words_of(StringTable& strings, const std::vector<std::string>& from) {
  std::vector<StrId> words;
  for (const std::string& word : from) words.push_back(strings.intern(word));
  return words;
}

PodTerm term_of(StringTable& strings, const ModelTerm& from) {
  PodTerm term;
  term.pods.nothing = !from.pods.given;
  term.pods.labels = requirements_of(strings, from.pods.labels);
  term.pods.name_spaces = words_of(strings, from.name_spaces);
  term.pods.by_name_space_labels = from.name_space_selector_given;
  term.pods.name_space_labels = requirements_of(strings, from.name_space_labels);
  term.match_label_keys = words_of(strings, from.match_label_keys);
  term.mismatch_label_keys = words_of(strings, from.mismatch_label_keys);
  term.key = strings.intern(from.key);
  return term;
}

SpreadConstraint constraint_of(StringTable& strings, const ModelSpread& from) {
  SpreadConstraint constraint;
  constraint.pods.nothing = !from.pods.given;
  constraint.pods.labels = requirements_of(strings, from.pods.labels);
  constraint.match_label_keys = words_of(strings, from.match_label_keys);
  constraint.key = strings.intern(from.key);
  constraint.max_skew = from.max_skew;
  constraint.min_domains = from.min_domains;
  constraint.required = from.required;
  constraint.honors_affinity = from.honors_affinity;
  constraint.honors_taints = from.honors_taints;
  return constraint;
}

Words random_labels(Random& random) {
  Words labels;
  if (random.chance(80)) labels["app"] = random.pick(std::vector<std::string>{"a", "b", "c"});
  if (random.chance(50)) labels["tier"] = random.pick(std::vector<std::string>{"t", "u"});
  return labels;
}

ModelRequirements random_requirements(Random& random) {
  ModelRequirements requirements;
  uint32_t count = random.chance(10) ? 0 : random.chance(80) ? 1 : 2;
  for (uint32_t i = 0; i < count; ++i) {
    ModelRequirement& item = requirements.emplace_back();
    bool app = random.chance(65);
    item.key = app ? "app" : "tier";
    item.op = random.chance(70) ? SelectorOp::In : static_cast<SelectorOp>(random.below(4));
    if (item.op == SelectorOp::Exists || item.op == SelectorOp::DoesNotExist) continue;
    std::vector<std::string> values =
        app ? std::vector<std::string>{"a", "b", "c"} : std::vector<std::string>{"t", "u"};
    item.values.push_back(random.pick(values));
    if (random.chance(25)) item.values.push_back(random.pick(values));
  }
  return requirements;
}

ModelSelector random_selector(Random& random) {
  return {!random.chance(4), random_requirements(random)};
}

ModelTerm random_term(Random& random) {
  ModelTerm term;
  term.pods = random_selector(random);
  term.key = random.pick(kKeys);
  term.weight = static_cast<int>(random.between(1, 100));
  if (random.chance(25)) term.name_spaces.push_back(random.pick(kNameSpaces));
  if (random.chance(20)) {
    term.name_space_selector_given = true;
    if (random.chance(70)) {
      term.name_space_labels.push_back(
          {"team", static_cast<SelectorOp>(random.below(2)), {random.chance(50) ? "1" : "2"}});
    }
    if (random.chance(30)) {
      term.name_space_labels.push_back({"kubernetes.io/metadata.name",
                                        random.chance(50) ? SelectorOp::In : SelectorOp::NotIn,
                                        {random.pick(kNameSpaces)}});
    }
  }
  if (term.pods.given && random.chance(15)) term.match_label_keys.push_back("app");
  if (term.pods.given && random.chance(10)) term.mismatch_label_keys.push_back("tier");
  return term;
}

ModelSpread random_spread(Random& random) {
  ModelSpread spread;
  spread.pods = random_selector(random);
  spread.key = random.pick(kKeys);
  spread.max_skew = static_cast<int>(random.between(1, 2));
  spread.required = random.chance(65);
  if (spread.required && random.chance(30)) {
    spread.min_domains = static_cast<int>(random.between(1, 4));
  }
  spread.honors_affinity = random.chance(75);
  spread.honors_taints = random.chance(35);
  if (spread.pods.given && random.chance(20)) spread.match_label_keys.push_back("tier");
  return spread;
}

std::string text_of(const ModelRequirements& requirements) {
  std::ostringstream out;
  for (const ModelRequirement& item : requirements) {
    out << " " << item.key << "/" << static_cast<int>(item.op);
    for (const std::string& value : item.values) out << "," << value;
  }
  return out.str();
}

void write_term(std::ostringstream& out, const char* kind, const ModelTerm& term) {
  out << "    " << kind << " " << term.key << " w" << term.weight << (term.pods.given ? "" : " nil")
      << " [" << text_of(term.pods.labels) << " ] ns";
  for (const std::string& name : term.name_spaces) out << " " << name;
  if (term.name_space_selector_given) out << " by [" << text_of(term.name_space_labels) << " ]";
  for (const std::string& key : term.match_label_keys) out << " +" << key;
  for (const std::string& key : term.mismatch_label_keys) out << " -" << key;
  out << "\n";
}

}  // namespace

ModelNode random_node(Random& random, const std::string& name, const TermLimits& limits) {
  ModelNode node;
  node.name = name;
  if (random.chance(92)) node.labels["zone"] = random.chance(50) ? "za" : "zb";
  if (random.chance(92)) node.labels["rack"] = "r" + std::to_string(random.below(3));
  if (random.chance(95)) node.labels["kubernetes.io/hostname"] = name;
  node.tainted = random.chance(12);
  node.cpu = limits.cpu > 50 ? limits.cpu : static_cast<int>(random.between(1, limits.cpu));
  return node;
}

ModelPod random_pod(Random& random, const std::string& name, const TermLimits& limits) {
  ModelPod pod;
  pod.name = name;
  pod.name_space = random.chance(60) ? "x" : random.pick(kNameSpaces);
  pod.labels = random_labels(random);
  if (random.chance(12)) pod.node_selector["zone"] = random.chance(50) ? "za" : "zb";
  pod.tolerates_all = random.chance(50);
  auto some = [&](std::vector<ModelTerm>& terms) {
    if (!random.chance(limits.per_cent)) return;
    terms.push_back(random_term(random));
    if (random.chance(25)) terms.push_back(random_term(random));
  };
  some(pod.affinity);
  some(pod.anti_affinity);
  some(pod.preferred);
  some(pod.preferred_anti);
  if (random.chance(limits.per_cent)) {
    for (uint32_t i = random.below(2) + 1; i > 0; --i) {
      ModelSpread made = random_spread(random);
      auto same = [&](const ModelSpread& other) {
        return other.key == made.key && other.required == made.required;
      };
      if (std::none_of(pod.spread.begin(), pod.spread.end(), same)) pod.spread.push_back(made);
    }
  }
  return pod;
}

ModelWorld random_terms_world(Random& random, const TermLimits& limits) {
  ModelWorld world;
  uint32_t nodes = random.below(limits.nodes) + 1;
  for (uint32_t i = 0; i < nodes; ++i) {
    world.nodes.push_back(random_node(random, "n" + std::to_string(i), limits));
  }
  if (random.chance(80)) world.name_spaces["x"] = {{"team", "1"}};
  if (random.chance(60)) world.name_spaces["y"] = {{"team", "2"}};
  uint32_t placed = random.below(limits.placed + 1);
  for (uint32_t i = 0; i < placed; ++i) {
    ModelPod pod = random_pod(random, "old" + std::to_string(i), limits);
    pod.node = random.pick(world.nodes).name;
    pod.presence = random.chance(20) ? Presence::Leaves : Presence::Stays;
    world.pods.push_back(pod);
  }
  std::vector<ModelPod> kinds;
  for (uint32_t i = 0; i < limits.classes; ++i) kinds.push_back(random_pod(random, "", limits));
  for (uint32_t i = 0; i < limits.pending; ++i) {
    ModelPod pod = random.pick(kinds);
    pod.name = "new" + std::to_string(i);
    world.pods.push_back(pod);
  }
  return world;
}

void put_node(Cluster& cluster, const ModelNode& from) {
  StringTable& strings = cluster.vocabulary().strings;
  Node node;
  node.name = from.name;
  node.labels = labels_of(strings, from.labels);
  if (from.tainted) {
    node.taints.push_back(
        {strings.intern("keep-off"), StringTable::kEmpty, TaintEffect::NoSchedule});
  }
  node.allocatable.set(kCpu, from.cpu * 1000);
  node.allocatable.set(kPods, 110);
  cluster.upsert(std::move(node));
}

void put_name_space(Cluster& cluster, const std::string& name, const Words& labels) {
  StringTable& strings = cluster.vocabulary().strings;
  cluster.upsert(NameSpace{strings.intern(name), labels_of(strings, labels)});
}

PodId put_pod(Cluster& cluster, const ModelPod& from, const std::string& gang) {
  StringTable& strings = cluster.vocabulary().strings;
  PodSpec spec;
  spec.requests.set(kCpu, from.cpu * 1000);
  spec.requests.set(kPods, 1);
  spec.node_selector = labels_of(strings, from.node_selector);
  if (from.tolerates_all) {
    spec.tolerations.push_back({StringTable::kEmpty, Toleration::Op::Exists, StringTable::kEmpty,
                                true, TaintEffect::NoSchedule});
  }
  for (const ModelTerm& term : from.affinity) spec.pod_affinity.push_back(term_of(strings, term));
  for (const ModelTerm& term : from.anti_affinity) {
    spec.pod_anti_affinity.push_back(term_of(strings, term));
  }
  for (const ModelTerm& term : from.preferred) {
    spec.preferred_pods.push_back({term.weight, term_of(strings, term)});
  }
  for (const ModelTerm& term : from.preferred_anti) {
    spec.preferred_pods.push_back({-term.weight, term_of(strings, term)});
  }
  for (const ModelSpread& spread : from.spread) {
    spec.spread.push_back(constraint_of(strings, spread));
  }
  Pod pod;
  pod.name_space = strings.intern(from.name_space);
  pod.name = from.name;
  pod.labels = labels_of(strings, from.labels);
  pod.gang = strings.intern("x/" + gang);
  pod.node = from.node;
  if (!from.node.empty()) {
    bool leaves = from.presence == Presence::Leaves;
    pod.status = leaves ? PodStatus::Releasing : PodStatus::Running;
  }
  return cluster.upsert(std::move(pod), std::move(spec));
}

void put_world(Cluster& cluster, const ModelWorld& world) {
  for (const ModelNode& node : world.nodes) put_node(cluster, node);
  for (const auto& [name, labels] : world.name_spaces) put_name_space(cluster, name, labels);
  for (const ModelPod& pod : world.pods) put_pod(cluster, pod, "g");
}

std::string text_of(const ModelWorld& world) {
  std::ostringstream out;
  for (const ModelNode& node : world.nodes) {
    out << "node " << node.name << " cpu " << node.cpu << (node.tainted ? " tainted" : "");
    for (const auto& [key, value] : node.labels) out << " " << key << "=" << value;
    out << "\n";
  }
  for (const auto& [name, labels] : world.name_spaces) {
    out << "namespace " << name;
    for (const auto& [key, value] : labels) out << " " << key << "=" << value;
    out << "\n";
  }
  for (const ModelPod& pod : world.pods) {
    out << "pod " << pod.name_space << "/" << pod.name << " cpu " << pod.cpu << " on '" << pod.node
        << "' " << static_cast<int>(pod.presence) << (pod.tolerates_all ? " tolerates" : "");
    for (const auto& [key, value] : pod.labels) out << " " << key << "=" << value;
    for (const auto& [key, value] : pod.node_selector) out << " selects " << key << "=" << value;
    out << "\n";
    for (const ModelTerm& term : pod.affinity) write_term(out, "near", term);
    for (const ModelTerm& term : pod.anti_affinity) write_term(out, "apart", term);
    for (const ModelTerm& term : pod.preferred) write_term(out, "rather near", term);
    for (const ModelTerm& term : pod.preferred_anti) write_term(out, "rather apart", term);
    for (const ModelSpread& spread : pod.spread) {
      out << "    spread " << spread.key << (spread.required ? " hard" : " soft") << " skew "
          << spread.max_skew << " min " << spread.min_domains << " affinity "
          << spread.honors_affinity << " taints " << spread.honors_taints
          << (spread.pods.given ? "" : " nil") << " [" << text_of(spread.pods.labels) << " ]";
      for (const std::string& key : spread.match_label_keys) out << " +" << key;
      out << "\n";
    }
  }
  return out.str();
}

}  // namespace trellis::oracle
