// GPUs that are given whole or in parts: a cycle in which gangs wait for parts that exclude each
// other.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "server/engine/engine.h"
#include "server/engine/load.h"
#include "server/manifest/manifest.h"

namespace trellis::bench::dra_parts {
namespace {

constexpr TimeUs kNow = 1'767'268'800 * kSecondUs;

void replace_all(std::string& text, std::string_view before, std::string_view after) {
  for (size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    text.replace(at, before.size(), after);
    at += after.size();
  }
}

// The node of examples/dra/mig.yaml so many times, with its classes and templates.
std::string hall_text(int nodes) {
  std::ifstream file(TRELLIS_SOURCE_DIR "/examples/dra/mig.yaml");
  const std::string example((std::istreambuf_iterator<char>(file)), {});
  std::string text;
  for (size_t at = 0; at < example.size();) {
    size_t end = std::min(example.find("\n---", at), example.size());
    std::string document = example.substr(at, end - at) + "\n---\n";
    at = end == example.size() ? end : end + 4;
    bool gang = document.find("kind: Pod") != std::string::npos;
    bool of_node = document.find("mig-0") != std::string::npos;
    for (int i = 0; i < (gang ? 0 : of_node ? nodes : 1); ++i) {
      std::string copy = document;
      replace_all(copy, "mig-0", "mig-" + std::to_string(i));
      text += copy;
    }
  }
  return text;
}

// More gangs than there is room for, with claims of three sizes.
std::string gangs_text(int gangs) {
  constexpr const char* kTemplates[] = {"small", "half", "whole"};
  std::string text;
  for (int i = 0; i < gangs; ++i) {
    std::string gang = "g" + std::to_string(i);
    int pods = 1 << i % 4 % 3;
    text += "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: " + gang +
            "}, spec: {minMember: " + std::to_string(pods) + "}}\n---\n";
    for (int pod = 0; pod < pods; ++pod) {
      text += "{apiVersion: v1, kind: Pod, metadata: {name: " + gang + "-" + std::to_string(pod) +
              ", annotations: {pod-group-name: " + gang +
              "}}, spec: {containers: [{name: m, resources: {requests: {cpu: '8'}}}], "
              "resourceClaims: [{name: c, resourceClaimTemplateName: " +
              kTemplates[i % 3] + "}]}}\n---\n";
    }
  }
  return text;
}

// The second cycle: what fits has its place, the rest waits, and consolidation tries to move.
void DraParts(benchmark::State& state) {
  int nodes = static_cast<int>(state.range(0));
  std::string text = hall_text(nodes) + gangs_text(nodes * 12 / 5);
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = std::make_unique<Engine>(Config());
    load(*engine, read_manifest_text("hall", text, engine->vocabulary()));
    engine->run(kNow, 1);
    engine->pass_time();
    state.ResumeTiming();
    auto record = engine->run(kNow + kSecondUs, 1);
    state.PauseTiming();
    int64_t waiting = 0;
    for (uint32_t i = 0; i < record->gangs.size(); ++i) {
      waiting += record->gangs[GangId(i)].status == GangStatus::Pending ? 1 : 0;
    }
    if (waiting == 0) state.SkipWithError("no gang waits");
    state.counters["waiting"] = static_cast<double>(waiting);
    engine.reset();
    state.ResumeTiming();
  }
}

BENCHMARK(DraParts)->ArgName("nodes")->Arg(50)->Arg(500)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::dra_parts
