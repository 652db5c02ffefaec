#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "server/objects/decoders.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 5> kReservationKeys = {"nodes", "domain", "from", "to",
                                                              "for"};
constexpr std::array<std::string_view, 3> kReservationUserKeys = {"queues", "namespaces", "gangs"};

template <class Use>
void each_reserved_name(Value parent, std::string_view key, std::string_view what,
                        FieldReader& fields, Use use) {
  for (Value item : fields.list(parent, key).items()) {
    if (item.text().empty()) {
      fields.error(item, describe(item), std::string(what));
    } else {
      use(item.text());
    }
  }
}

void decode_reserved_time(Value spec, Reservation& reservation, FieldReader& fields) {
  for (std::string_view key : {"from", "to"}) {
    if (spec[key].absent()) fields.missing(spec, key, "a time");
  }
  TimeUs from = fields.time(spec, "from");
  TimeUs to = fields.time(spec, "to");
  if (from == kNoTime || to == kNoTime) return;
  if (to <= from) fields.error(spec["to"], describe(spec["to"]), "a time after \"from\"");
  reservation.from = from;
  reservation.to = to;
}

}  // namespace

ReservationRecord decode_reservation(NamedObject named, FieldReader& fields) {
  ReservationRecord record{std::move(named.meta), {}};
  Reservation& reservation = record.reservation;
  reservation.name = std::move(named.name);
  fields.known_keys(named.object, kObjectKeys);
  Value spec = fields.object(named.object, "spec");
  if (named.object["spec"].absent()) fields.missing(named.object, "spec", "nodes and times");
  fields.known_keys(spec, kReservationKeys);
  each_reserved_name(spec, "nodes", "the name of a Node", fields,
                     [&](std::string_view node) { reservation.nodes.emplace_back(node); });
  std::ranges::sort(reservation.nodes);
  reservation.domain = fields.labels(spec, "domain");
  bool names_some = !reservation.nodes.empty() || !reservation.domain.empty();
  if (!spec.absent() && !names_some) fields.missing(spec, "nodes", "nodes, or a \"domain\"");
  decode_reserved_time(spec, reservation, fields);
  Value users = fields.object(spec, "for");
  fields.known_keys(users, kReservationUserKeys);
  each_reserved_name(users, "queues", "the name of a Queue", fields, [&](std::string_view queue) {
    reservation.queues.push_back(fields.intern(queue));
  });
  each_reserved_name(
      users, "namespaces", "the name of a namespace", fields,
      [&](std::string_view name) { reservation.name_spaces.push_back(fields.intern(name)); });
  each_reserved_name(users, "gangs", "\"namespace/name\" of a gang", fields,
                     [&](std::string_view gang) { reservation.gangs.emplace_back(gang); });
  return record;
}

}  // namespace trellis
