#include "plugins/quota/queue_plans.h"

#include <algorithm>

#include "framework/cluster_queue.h"
#include "framework/flavor.h"

namespace trellis {

void QueuePlans::open(const View& view) {
  view_ = &view;
  ++session_;
  knows_flavors_ = false;
}

const GroupPlan& QueuePlans::group(ClusterQueueId queue, size_t group) {
  if (plans_.size() < view_->cluster_queues->size()) plans_.resize(view_->cluster_queues->size());
  QueuePlan& plan = plans_[queue];
  if (plan.session != session_) {
    resolve(queue, plan);
    plan.session = session_;
  }
  return plan.groups[group];
}

void QueuePlans::read_flavors() {
  flavors_.clear();
  for (uint32_t i = 0; i < view_->flavors->size(); ++i) {
    const Flavor& flavor = (*view_->flavors)[FlavorId(i)];
    StrId name = flavor.name.empty() ? StrId() : view_->vocabulary->strings.find(flavor.name);
    if (name.valid()) flavors_.emplace_back(name, FlavorId(i));
  }
  std::sort(flavors_.begin(), flavors_.end());
  knows_flavors_ = true;
}

FlavorId QueuePlans::find_flavor(StrId name) const {
  auto found = std::lower_bound(flavors_.begin(), flavors_.end(), std::pair(name, FlavorId(0)));
  return found != flavors_.end() && found->first == name ? found->second : FlavorId();
}

void QueuePlans::resolve(ClusterQueueId queue, QueuePlan& plan) {
  if (!knows_flavors_) read_flavors();
  const std::vector<ResourceGroup>& groups = (*view_->cluster_queues)[queue].groups;
  plan.groups.resize(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    GroupPlan& group = plan.groups[g];
    group.flavors.clear();
    group.cells.clear();
    group.label_keys.clear();
    for (const FlavorQuota& quota : groups[g].flavors) {
      group.flavors.push_back(find_flavor(quota.flavor));
      for (ResourceId resource : groups[g].resources) {
        group.cells.push_back(view_->quota_tree->cell(quota.flavor, resource));
      }
      if (!group.flavors.back().valid()) continue;
      for (const Label& label : (*view_->flavors)[group.flavors.back()].node_labels) {
        group.label_keys.push_back(label.key);
      }
    }
    std::sort(group.label_keys.begin(), group.label_keys.end());
  }
}

}  // namespace trellis
