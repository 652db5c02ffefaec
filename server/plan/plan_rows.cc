#include "server/plan/plan_rows.h"

#include <map>
#include <utility>

#include "server/document/document_writer.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

bool same_users(const PlannedNode& a, const PlannedNode& b) {
  if (a.users.size() != b.users.size()) return false;
  for (size_t i = 0; i < a.users.size(); ++i) {
    if (a.users[i].gang != b.users[i].gang) return false;
  }
  return true;
}

std::string counted(int64_t count, const std::string& one, const std::string& many) {
  return grouped_text(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::map<std::string, std::string> quantities_of(const ResourceTable& resources,
                                                 const ResourceList& list) {
  std::map<std::string, std::string> quantities;
  for (const ResourceAmount& each : list.items()) {
    quantities[resources.name(each.resource)] =
        quantity_text(resources, each.resource, each.amount);
  }
  return quantities;
}

std::string daemons_line(const std::string& shape,
                         const std::map<std::string, std::string>& quantities) {
  std::string list;
  for (const auto& [name, amount] : quantities) {
    list += (list.empty() ? "" : ", ") + name + " " + amount;
  }
  return list.empty() ? "" : "DaemonSets take of each " + shape + ": " + list + ".\n";
}

std::vector<PlanRow> plan_rows(const Engine& engine, const NodePlan& plan) {
  std::vector<PlanRow> rows;
  std::vector<std::map<std::string, int64_t>> pods;  // by row, then by gang
  const PlannedNode* last = nullptr;
  for (const PlannedNode& node : plan.nodes) {
    const NodeOffer& offer = plan.market.offers[node.offer];
    const NodeShape& shape = plan.market.shapes[offer.shape];
    bool same = last != nullptr && last->offer == node.offer && same_users(*last, node);
    if (!same) {
      rows.push_back({.shape = shape.name,
                      .place = offer.place.empty() ? "anywhere" : offer.place,
                      .makes_domain = offer.makes_domain && !offer.place.empty()});
      pods.emplace_back();
    }
    ++rows.back().nodes;
    rows.back().price_micro += shape.price_micro;
    for (const NodeUse& use : node.users) {
      pods.back()[full_name(engine.cluster(), use.gang)] += use.pods;
    }
    last = &node;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [gang, count] : pods[i]) {
      rows[i].users.push_back(gang + " (" + pods_text(count) + ")");
    }
  }
  return rows;
}

std::vector<PlanRefusal> plan_refusals(const Engine& engine, const NodePlan& plan) {
  std::vector<PlanRefusal> refusals;
  for (GangId gang : plan.refused) {
    refusals.push_back({full_name(engine.cluster(), gang),
                        reasons_text(engine.cluster(), plan.record->gangs[gang].reasons)});
  }
  return refusals;
}

std::string price_text(int64_t price_micro) {
  return number_text(static_cast<double>(price_micro) / static_cast<double>(kPriceUnit));
}

std::string plan_summary(const NodePlan& plan) {
  auto served = static_cast<int64_t>(plan.served.size());
  if (plan.nodes.empty()) {
    return plan.refused.empty() ? "No more nodes are needed." : "No nodes of these shapes help.";
  }
  std::string text = counted(static_cast<int64_t>(plan.nodes.size()), "node", "nodes") + " for " +
                     price_text(plan.price_micro);
  if (plan.proved) {
    text += ": nothing cheaper suffices. ";
  } else if (plan.bound_micro > 0) {
    text += "; nothing below " + price_text(plan.bound_micro) + " suffices. ";
  } else {
    text += "; cheaper ones may suffice, too. ";
  }
  return text + counted(served, "gang that waits runs", "gangs that wait run") + " with " +
         (plan.nodes.size() == 1 ? "it." : "them.");
}

}  // namespace trellis
