#include "tests/worlds/whole_way.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/explain/explain_answer.h"
#include "server/text/byte_sink.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::worlds {
namespace {

using nlohmann::json;

// Questions about a large world are asked about some of it.
constexpr size_t kMostQuestions = 12;

// One for the process: its files are written again for each world.
const test::TemporaryFolder& folder() {
  static const test::TemporaryFolder made;
  return made;
}

std::string write(const char* name, std::string_view text) {
  folder().write_now(name, text);
  return folder().file(name);
}

struct Run {
  int code = 0;
  std::string out;
  std::string err;
};

Run run(const std::vector<std::string>& words) {
  StringSink out;
  StringSink err;
  Console console{.out = out, .err = err};
  int code = run_program(words, console);
  return {code, out.text(), err.text()};
}

// What a terminal obeys: control characters, and marks that turn the direction of writing.
bool holds_control(std::string_view text) {
  for (std::string_view mark : {"\u202a", "\u202b", "\u202d", "\u202e", "\u2066", "\u2067"}) {
    if (text.find(mark) != std::string_view::npos) return true;
  }
  return std::any_of(text.begin(), text.end(), [](char c) {
    unsigned char byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n';
  });
}

class Way {
 public:
  Way(const World& world, Choices& choices) : world_(world), choices_(choices) {
    input_ = write("in.jsonl", json_lines(world.objects));
    if (!world.config.empty()) config_ = write("config.yaml", world.config);
  }

  std::string go() {
    next_ = folder().file("next.jsonl");
    decided_ = schedule(input_, {"--save", next_});
    if (decided_.code != 0 && decided_.code != 2) return "exit code " + code(decided_);
    if (decided_.out.empty()) return {};  // the configuration is wrong
    decisions_ = json::parse(decided_.out, nullptr, false);
    if (!decisions_.is_object()) return "the decisions are no JSON";
    for (auto step : {&Way::statuses, &Way::sums, &Way::shuffled, &Way::saved, &Way::outputs,
                      &Way::questions, &Way::whatif}) {
      if (std::string wrong = (this->*step)(); !wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  static std::string code(const Run& run) { return std::to_string(run.code) + ": " + run.err; }

  std::vector<std::string> with_config(std::vector<std::string> words) const {
    if (!config_.empty()) words.insert(words.end(), {"--config", config_});
    return words;
  }

  Run schedule(const std::string& file, const std::vector<std::string>& more) const {
    std::vector<std::string> words = with_config({"schedule", "-f", file, "-o", "json"});
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  static bool is_placed(const std::string& status) {
    return status == "Bound" || status == "Running" || status == "Pipelined";
  }

  std::string statuses() {
    std::map<std::string, bool> nodes;
    for (const json& node : decisions_["nodes"]) nodes[node["name"]] = true;
    for (const json& pod : decisions_["pods"]) {
      std::string status = pod["status"];
      bool decided = pod.contains("action") && is_placed(status);
      if (decided && !nodes.contains(pod.value("node", ""))) {
        return "pod " + pod["name"].get<std::string>() + " is placed on no node of the input";
      }
      if (status == "Pending" && pod.contains("node")) {
        return "pod " + pod["name"].get<std::string>() + " waits on a node";
      }
    }
    return {};
  }

  // 1234567 as 1,234,567.
  static std::string grouped(int64_t number) {
    std::string digits = std::to_string(number);
    for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
  }

  // The table's last line counts what the document lists.
  std::string sums() {
    Run table = run(with_config({"schedule", "-f", input_}));
    if (holds_control(table.out)) return "the table holds control characters";
    if (table.code != decided_.code) return "the table ends with " + code(table);
    int64_t placed = 0;
    int64_t pods = 0;
    for (const json& pod : decisions_["pods"]) {
      std::string status = pod["status"];
      if (status == "Succeeded" || status == "Failed") continue;
      ++pods;
      if (is_placed(status)) ++placed;
    }
    std::string wanted = grouped(placed) + " of " + grouped(pods) + " pod";
    if (pods > 0 && table.out.find(wanted) == std::string::npos) {
      return "the table does not say \"" + wanted + "\"";
    }
    return {};
  }

  std::string shuffled() {
    // Of two objects with one name the first stays: then the order matters.
    if (decided_.code != 0) return {};
    std::vector<json> objects = world_.objects;
    Random random(choices_.seed());
    random.shuffle(objects);
    std::string file = write("shuffled.jsonl", json_lines(objects));
    Run again = schedule(file, {});
    return again.out == decided_.out ? "" : "another order of the objects, other decisions";
  }

  // The next cycle, a period later, decides the same from what was saved.
  std::string saved() {
    Run later = schedule(next_, {});
    if (later.code != 0 && later.code != 2) return "what was saved ends with " + code(later);
    bool default_period = world_.config.find("period") == std::string::npos;
    if (decided_.code != 0 || !default_period) return {};
    std::string file = folder().file("then.jsonl");
    constexpr const char* kNow = "2030-01-01T00:00:00Z";
    Run first = schedule(input_, {"--now", kNow, "--save", file});
    if (first.code != 0) return "saving ends with " + code(first);
    Run then = schedule(file, {"--now", "2030-01-01T00:00:01Z"});
    Run at_once = schedule(input_, {"--now", kNow, "--cycles", "2"});
    constexpr std::string_view kTwo = "\"cycles\":2";
    if (size_t at = at_once.out.find(kTwo); at != std::string::npos) {
      at_once.out.replace(at, kTwo.size(), "\"cycles\":1");
    }
    return at_once.out == then.out ? "" : "a cycle on what was saved is not the second of two";
  }

  std::string outputs() {
    static const std::vector<std::vector<std::string>> kCommands = {
        {"schedule", "-o", "tree"},    {"schedule", "-o", "yaml"},
        {"schedule", "--cycles", "4"}, {"topology"},
        {"topology", "-o", "json"},    {"queues"},
        {"queues", "-o", "json"},      {"validate"}};
    for (std::vector<std::string> words : kCommands) {
      words.insert(words.begin() + 1, {"-f", input_});
      bool configured = words[0] == "schedule" || words[0] == "queues";
      Run done = run(configured ? with_config(words) : words);
      if (done.code != 0 && done.code != 2) return words[0] + " ends with " + code(done);
      bool document = words.back() == "json";
      if (document && !json::accept(done.out)) return words[0] + " prints no JSON";
      if (!document && holds_control(done.out)) return words[0] + " prints control characters";
    }
    return {};
  }

  std::string questions() {
    InputArguments input{.files = {input_}, .config_file = config_};
    StringSink ignored;
    Console console{.out = ignored, .err = ignored};
    std::optional<LoadedCluster> loaded =
        load_cluster(input, {}, LoadOptions{.listing = Listing::None}, console);
    if (!loaded) return "the input is not read a second time";
    auto record = loaded->engine->run(loaded->now, 1);
    for (const ExplainQuestion& question : all_questions()) {
      for (OutputFormat format : {OutputFormat::Text, OutputFormat::JsonText}) {
        StringSink out;
        std::string error = explain(question, *loaded->engine, *record, {.format = format}, out);
        if (!error.empty()) continue;
        if (format == OutputFormat::JsonText && !json::accept(out.text())) {
          return "no JSON about " + question.name;
        }
        if (format == OutputFormat::Text && holds_control(out.text())) {
          return "control characters about " + question.name;
        }
      }
    }
    return {};
  }

  std::vector<ExplainQuestion> all_questions() {
    using Kind = ExplainQuestion::Kind;
    std::vector<ExplainQuestion> questions;
    auto ask = [&](Kind kind, const json& list) {
      size_t count = std::min(list.size(), kMostQuestions);
      size_t first = list.size() > count ? choices_.below(list.size() - count) : 0;
      for (size_t i = first; i < first + count; ++i) {
        questions.push_back({.kind = kind,
                             .name_space = list[i].value("namespace", ""),
                             .name = list[i].value("name", "")});
      }
    };
    ask(Kind::Gang, decisions_["gangs"]);
    ask(Kind::Pod, decisions_["pods"]);
    ask(Kind::Node, decisions_["nodes"]);
    ask(Kind::Workload, decisions_["workloads"]);
    for (const json& object : world_.objects) {
      if (!object.contains("kind") || !object["kind"].is_string()) continue;
      std::string kind = object["kind"];
      if (!object.contains("metadata") || !object["metadata"].is_object()) continue;
      const json name = object["metadata"].value("name", json());
      if (!name.is_string() || questions.size() > 6 * kMostQuestions) continue;
      if (kind == "Queue" || kind == "ClusterQueue")
        questions.push_back({Kind::Queue, "", name, {}});
      if (kind == "Topology") questions.push_back({Kind::Domain, "", name, {}});
    }
    return questions;
  }

  // A gang less, and a node that takes no more.
  std::string whatif() {
    std::vector<std::string> words = {"whatif", "-f", input_};
    const json& gangs = decisions_["gangs"];
    const json& nodes = decisions_["nodes"];
    if (!gangs.empty()) {
      const json& gang = gangs[choices_.below(gangs.size())];
      words.insert(words.end(), {"--remove", "gang/" + gang.value("namespace", "") + "/" +
                                                 gang.value("name", "")});
    }
    if (!nodes.empty() && choices_.chance(50)) {
      std::string name = nodes[choices_.below(nodes.size())].value("name", "");
      if (name.find('/') == std::string::npos) words.insert(words.end(), {"--cordon", name});
    }
    Run text = run(with_config(words));
    words.insert(words.end(), {"-o", "json"});
    Run document = run(with_config(words));
    if (text.code != 0 && text.code != 2) return "whatif ends with " + code(text);
    if (holds_control(text.out)) return "whatif prints control characters";
    if (!document.out.empty() && !json::accept(document.out)) return "whatif prints no JSON";
    return {};
  }

  const World& world_;
  Choices& choices_;
  std::string input_;
  std::string config_;
  std::string next_;
  Run decided_;
  json decisions_;
};

}  // namespace

std::string whole_way(const World& world, Choices& choices) { return Way(world, choices).go(); }

}  // namespace trellis::worlds
