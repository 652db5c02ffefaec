// Writes parts of the sentences of reasons: amounts that are missing or would have to be freed, in
// the order of the resources' names; why no victims are moved; why workloads wait.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/device_claims.h"
#include "framework/reason.h"
#include "framework/resources.h"
#include "server/document/document_writer.h"
#include "session/cluster/cluster.h"
#include "session/explain/demand_explanation.h"
#include "session/explain/remedy.h"

namespace trellis {

// Sorts the amounts by name, since ids depend on the order of the input.
std::vector<Shortage> by_name(const ResourceTable& resources, std::span<const Shortage> shortages);

// `12 GPUs`, `64Gi memory`, `1500m cpu`
std::string amount_text(const ResourceTable& resources, ResourceId resource, int64_t amount);

// `4 GPUs, 64Gi memory`; "" without amounts.
std::string amounts_text(const ResourceTable& resources, std::span<const Shortage> amounts);

// `256 cores, 1,600 GiB memory, 8 GPUs`, without the pods; "-" for nothing.
std::string people_amounts_text(const ResourceTable& resources, const ResourceList& amounts);

// `3 more nodes in b1/r3, or 12 GPUs freed`; "" when nothing would help. `place`: the domain, or ""
// to leave it out.
std::string remedy_text(const ResourceTable& resources, const Remedy& remedy,
                        const std::string& place);

// Why no victims are moved for a gang: "reclaim: nothing may be moved: 3 gangs are not
// preemptible".
std::string victim_text(const Reason& reason);

// Why a workload waits or was evicted, in Kueue's sentences where Kueue has them:
// "insufficient unused quota for cpu in flavor f, 2 more needed".
std::string workload_text(const Cluster& cluster, const Reason& reason);

// Why a node has no devices for the claims of a pod, request by request: "request gpu: 3 of 8
// devices match, 1 is tainted, 1 is taken by default/other, 1 overlaps devices that are taken".
std::string devices_text(std::span<const DeviceShortage> devices);
void write_devices(DocumentWriter& out, std::span<const DeviceShortage> devices);

}  // namespace trellis
