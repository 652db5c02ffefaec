// Nodes by the names of places, and more nodes in such a place, before a cluster is made of the
// objects.
#pragma once

#include <set>
#include <string>

#include "framework/string_table.h"
#include "server/compare/planned_change.h"
#include "session/cluster/objects.h"

namespace trellis {

// The nodes of `word`: NODE, or TOPOLOGY/PATH with the labels of all levels; parts of such names,
// as find_name() completes them, nodes first. Sets `error` and returns none where there is no such
// place.
std::set<std::string> find_place(const Objects& objects, const StringTable& strings,
                                 const std::string& word, std::string& error);

// "", or an error.
std::string add_nodes(const AddedNodes& more, Objects& objects, StringTable& strings);

}  // namespace trellis
