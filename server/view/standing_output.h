// Shows where a demand is placed and why, and for one without a place what alternatives exist: for
// programs, and as text for people.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/document/document_writer.h"
#include "session/explain/demand_explanation.h"
#include "session/explain/demand_stand.h"
#include "session/explain/outlook.h"
#include "session/explain/remedy.h"

namespace trellis {

// Two lines for each part.
std::string standing_text(const Session& session, std::span<const PartStand> stands);

// "stands":[{"subgroup" or "podSets","topology","level","path","nodes":[{"name","pods"}],"why"}] in
// the open object; nothing without any.
void write_standing(DocumentWriter& out, const Session& session, std::span<const PartStand> stands);

// "topology","level","path" in the open object: the first two where there are any.
void write_path(DocumentWriter& out, const DomainName& name);
// "topology","level","domain" in the open object.
void write_domain(DocumentWriter& out, const DomainName& name);

// key:[{"resource","by"}] in the open object, by name.
void write_shortages(DocumentWriter& out, const ResourceTable& resources, std::string_view key,
                     std::span<const Shortage> shortages);

// "remedy":{"moreNodes","freed":[...]} in the open object; nothing where nothing would help.
void write_remedy(DocumentWriter& out, const ResourceTable& resources, const Remedy& remedy);

// For the parts that fit nowhere: whether a domain could be large enough, which level above would
// be, and which gangs would have to leave. `helps`: by part.
std::string outlook_text(const Session& session, const DemandExplanation& explanation,
                         std::span<const PartHelp> helps);

// "largestNodes","ifEmpty","above":{...},"preferredWouldDo","inTheWay":{...} in the open object.
void write_help(DocumentWriter& out, const Session& session, const PartHelp& help);

// "outlook":[{"subgroup", and what write_help() writes}]
// in the open object; nothing where every part fits.
void write_outlook(DocumentWriter& out, const Session& session,
                   const DemandExplanation& explanation, std::span<const PartHelp> helps);

}  // namespace trellis
