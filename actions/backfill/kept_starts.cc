#include "actions/backfill/kept_starts.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace trellis {

KeptStarts::KeptStarts(Session& session, Session::SharedAppointments appointments)
    : session_(session),
      appointments_(std::move(appointments)),
      ends_(session, session.past_runs().get()) {
  active_ = ends_.any() || appointments_ != nullptr || !session.cluster().reservations().empty();
}

RoomTimes* KeptStarts::times() {
  if (!active_) return nullptr;
  if (times_) return &*times_;
  times_.emplace(session_, ends_);
  if (appointments_ == nullptr) return &*times_;
  for (const Appointment& appointment : *appointments_) {
    if (std::optional<KeptStart> start = find(appointment)) times_->keep(*std::move(start));
  }
  return &*times_;
}

std::optional<KeptStart> KeptStarts::find(const Appointment& appointment) const {
  const Cluster& cluster = session_.cluster();
  GangId gang = cluster.find_gang(appointment.name_space, appointment.gang);
  if (!gang.valid() || session_.has_minimum(gang)) return std::nullopt;
  KeptStart start{.gang = gang,
                  .start = appointment.start,
                  .end = time_after(appointment.start, ends_.run_time(gang)),
                  .made = appointment.made,
                  .places = {}};
  for (const AppointedPod& appointed : appointment.pods) {
    PodId pod = cluster.find_pod(appointment.name_space, appointed.name);
    NodeId node = cluster.find_node(appointed.node);
    bool waits = pod.valid() && node.valid() && cluster.pods()[pod].gang == gang &&
                 session_.snapshot().pod(pod).status == PodStatus::Pending &&
                 session_.snapshot().key(pod).hold == PodHold::None;
    if (!waits) return std::nullopt;
    start.places.push_back({node, pod, session_.snapshot().key(pod).pod_class});
  }
  std::ranges::stable_sort(start.places, {}, &AppointedPlace::node);
  return start;
}

Appointment KeptStarts::appointment_of(const KeptStart& start) const {
  const Cluster& cluster = session_.cluster();
  const Gang& gang = cluster.gangs()[start.gang];
  Appointment appointment;
  appointment.name_space = cluster.vocabulary().strings.view(gang.name_space);
  appointment.gang = gang.name;
  appointment.start = start.start;
  appointment.made = start.made;
  for (const AppointedPlace& place : start.places) {
    appointment.pods.push_back(
        {cluster.pods()[place.pod].pod.name, cluster.nodes()[place.node].name});
  }
  return appointment;
}

void KeptStarts::leave() const {
  if (!times_) return;
  auto appointments = std::make_shared<Appointments>();
  for (const KeptStart& start : times_->starts()) appointments->push_back(appointment_of(start));
  session_.keep_appointments(appointments->empty() ? nullptr : std::move(appointments));
}

}  // namespace trellis
