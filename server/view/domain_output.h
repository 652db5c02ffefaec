// The domains that could take a demand, of a gang or of a workload in one flavor: for programs, and
// as text for people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/document/document_writer.h"
#include "server/view/text_table.h"
#include "session/explain/demand_explanation.h"
#include "session/explain/domain_details.h"

namespace trellis {

// What differs between the documents of gangs and of workloads.
struct DomainWords {
  std::string_view pods;      // that a domain takes
  std::string_view left_out;  // nodes that take none
  bool of_room = false;       // also the nodes that lack only room
};

inline constexpr DomainWords kGangWords{"allocatablePods", "refusals"};
inline constexpr DomainWords kWorkloadWords{"pods", "leftOut", true};

// "domains":[{"topology","level","path","allocatablePods","needed","fits","short":[...],...}] in
// the open object.
void write_domains(DocumentWriter& out, const Session& session,
                   const DemandExplanation& explanation, std::span<const DomainDetails> details,
                   const DomainWords& words);

// key:[{"code","plugin","resource","label","nodes","example"}] in the open object.
void write_left_out(DocumentWriter& out, const Cluster& cluster, std::string_view key,
                    std::span<const LeftOut> left_out);

// A table for each part; "" without domains.
std::string domains_tables(const Session& session, const DemandExplanation& explanation,
                           std::span<const DomainDetails> details, TableForm form);

// `not ready`, `without the label of a level (rack)`
std::string cause_text(const Cluster& cluster, const LeftOut& left_out);

// `b1/r1`; a topology as a whole by its name.
std::string domain_text(const DomainName& name);

}  // namespace trellis
