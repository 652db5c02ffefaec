// The nodes of a plan in rows for people: those of one offer and for the same gangs are one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/engine/engine.h"
#include "server/plan/plan.h"

namespace trellis {

struct PlanRow {
  std::string shape;
  std::string place;  // `hall/b1/r3`, `anywhere`
  bool makes_domain = false;
  int64_t nodes = 0;
  int64_t price_micro = 0;         // of all of them
  std::vector<std::string> users;  // `team/train (8 pods)`
};

struct PlanRefusal {
  std::string gang;
  std::string why;
};

std::vector<PlanRow> plan_rows(const Engine& engine, const NodePlan& plan);
std::vector<PlanRefusal> plan_refusals(const Engine& engine, const NodePlan& plan);

// Quantities by the name of the resource.
std::map<std::string, std::string> quantities_of(const ResourceTable& resources,
                                                 const ResourceList& list);
// "DaemonSets take of each big: cpu 1, memory 1Gi.\n"; "": they take nothing.
std::string daemons_line(const std::string& shape,
                         const std::map<std::string, std::string>& quantities);

std::string price_text(int64_t price_micro);
// `3 nodes for 24: nothing cheaper suffices. 2 gangs that wait run with them.`
std::string plan_summary(const NodePlan& plan);

}  // namespace trellis
