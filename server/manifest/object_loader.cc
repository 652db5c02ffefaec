#include "server/manifest/object_loader.h"

#include <xxhash.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "server/document/first_error.h"
#include "server/document/json_text.h"
#include "server/grouping/owner_pods.h"
#include "server/grouping/owner_roles.h"
#include "server/grouping/owner_workloads.h"
#include "server/grouping/train_jobs.h"
#include "server/objects/decode_meta.h"
#include "server/objects/decoders.h"
#include "server/objects/dependency_recorder.h"
#include "server/objects/owner_kinds.h"
#include "server/objects/private_members.h"
#include "session/cluster/objects.h"

namespace trellis {
namespace {

constexpr std::string_view kList = "List";
// Nodes have no namespace; this one keeps a Node's labels apart from the Node.
constexpr std::string_view kLabelsAlone = "labels";

// Letters and digits that form no words, as Kubernetes uses them for generated names.
std::string name_suffix(uint64_t hash) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr int kLength = 8;
  std::string suffix;
  for (int i = 0; i < kLength; ++i) {
    suffix += kLetters[hash % kLetters.size()];
    hash /= kLetters.size();
  }
  return suffix;
}

std::string known_versions(const Kind& kind) {
  std::string text;
  for (std::string_view version : kind.versions) {
    if (!text.empty()) text += " or ";
    text +=
        in_quotes((kind.group.empty() ? "" : std::string(kind.group) + "/") + std::string(version));
  }
  return text;
}

// Also of kinds that are not known, which have these fields by custom.
bool asks_scheduler(Value object, const OwnerRecord& record) {
  Value spec = object["spec"];
  Value pods = spec["template"]["spec"];
  bool scheduler = !spec["schedulerName"].text().empty() || !pods["schedulerName"].text().empty();
  bool queue = record.keys.queue.valid() || record.of_template.queue.valid() ||
               !spec["queue"].text().empty() ||
               !annotation_or_label(object["metadata"], kQueueNameKey).text().empty();
  return scheduler || queue;
}

}  // namespace

void ObjectLoader::load(const Document& document, const ListHead& head) {
  // Lists may hold lists; the first item is on top.
  Items items;
  items.push_back({document.root(), head});
  while (!items.empty()) {
    Item item = items.back();
    items.pop_back();
    Value value = item.value;
    if (value.is(ValueKind::Array)) {
      load_list(value, {}, items);
      continue;
    }
    if (!value.is(ValueKind::Object)) {
      if (!value.absent())
        fields_.error(value, describe(value), "an object with apiVersion and kind");
      continue;
    }
    std::string_view kind = value["kind"].text();
    bool list = kind == kList || (value["items"].is(ValueKind::Array) &&
                                  (value["kind"].absent() || kind.ends_with(kList)));
    if (list) {
      load_list(fields_.list(value, "items"), {kind, value["apiVersion"].text()}, items);
    } else {
      load_object(value, item.head);
    }
  }
}

void ObjectLoader::load_list(Value list, const ListHead& head, Items& items) {
  size_t before = items.size();
  for (Value value : list.items()) items.push_back({value, head});
  std::reverse(items.begin() + static_cast<std::ptrdiff_t>(before), items.end());
}

void ObjectLoader::load_object(Value object, const ListHead& head) {
  std::string_view kind = fields_.string(object, "kind");
  std::string_view api_version = fields_.string(object, "apiVersion");
  bool typed = head.kind.size() > kList.size() && head.kind.ends_with(kList);
  if (object["kind"].absent() && typed) {
    kind = head.kind.substr(0, head.kind.size() - kList.size());
    if (api_version.empty()) api_version = head.api_version;
  }
  // A value that is no string is reported already.
  auto complain = [&](std::string_view key, const char* expected) {
    Value value = object[key];
    if (value.absent()) fields_.missing(object, key, expected);
    if (value.is(ValueKind::String)) fields_.error(value, describe(value), expected);
  };
  if (kind.empty()) return complain("kind", "the kind of the object");
  if (api_version.empty()) {
    return complain("apiVersion", "the version of the kind, such as \"v1\"");
  }
  std::string_view group = api_group(api_version);
  const Kind* known = find_kind(group, kind);
  if (known == nullptr) {
    if (!is_slip(object, group, kind)) load_other(object, api_version, kind);
  } else if (known->id == KindId::Owner) {
    load_other(object, api_version, kind);
  } else if (check_version(object, *known, api_version)) {
    if (known->id == KindId::Cycle) return load_cycle(object, *known);
    load_known(object, *known, api_version);
  }
}

bool ObjectLoader::check_version(Value object, const Kind& kind, std::string_view api_version) {
  // Topologies have looked alike in every version.
  if (kind.id == KindId::Topology) return true;
  std::string_view version = api_version_part(api_version);
  auto found = std::find(kind.versions.begin(), kind.versions.end(), version);
  if (found != kind.versions.end()) return true;
  fields_.error(object["apiVersion"], in_quotes(api_version),
                known_versions(kind) + " for kind " + std::string(kind.kind));
  return false;
}

bool ObjectLoader::is_slip(Value object, std::string_view group, std::string_view kind) {
  if (std::string_view near = near_kind(group, kind); !near.empty()) {
    fields_.error(object["kind"], "the unknown kind " + in_quotes(kind), "a kind of this group",
                  std::string(near));
    return true;
  }
  if (std::string_view near = near_group(group, kind); !near.empty()) {
    fields_.error(object["apiVersion"], "the unknown group " + in_quotes(group),
                  "a group that has kind " + std::string(kind), std::string(near));
    return true;
  }
  return false;
}

void ObjectLoader::load_cycle(Value object, const Kind& kind) {
  if (records().cycle) {
    fields_.error(object["kind"], "a second Cycle", "one cycle in all of the input");
    return;
  }
  begin_dependencies(kind, {}, "");
  records().cycle = decode_cycle(object, fields_);
}

void ObjectLoader::load_known(Value object, const Kind& kind, std::string_view api_version) {
  if (object["metadata"].absent()) {
    fields_.missing(object, "metadata", "an object with a name");
    return;
  }
  FirstError first(fields_.report());
  Meta meta = decode_meta(object, kind.group, kind.kind, kind.namespaced, true, fields_);
  std::string name = object_name(object, meta);
  if (!check_name(object, name, fields_)) return;
  meta.key.name = fields_.intern(name);
  bool labels = kind.id == KindId::Node && has_labels_alone(object);
  if (labels) meta.key.name_space = fields_.intern(kLabelsAlone);
  note_pool(object, meta);
  if (!is_first(object, kind, meta)) return;
  if (options_.keep_raw) keep_raw(object, meta, api_version, name);
  begin_dependencies(kind, meta, name);
  RecordKeeper keeper(kind, name, first, lists_);
  NamedObject named{object, std::move(meta), name};
  if (labels) {
    return keeper.keep(decode_node_labels(std::move(named), fields_), &Records::node_labels);
  }
  if (kind.id == KindId::Job) return add_job(std::move(named), keeper);
  if (kind.id == KindId::DaemonSet) add_owner(named);
  kind.add(std::move(named), pods_, fields_, keeper);
}

void ObjectLoader::begin_dependencies(const Kind& kind, const Meta& meta, std::string_view name) {
  if (fields_.dependencies() == nullptr) return;
  std::string_view name_space = fields_.vocabulary().strings.view(meta.key.name_space);
  fields_.dependencies()->begin(kind, name_space, name);
}

void ObjectLoader::add_job(NamedObject named, const RecordKeeper& keeper) {
  OwnerRecord record{std::move(named.meta)};
  Value metadata = named.object["metadata"];
  record.meta.owner = decode_owner(metadata, record.meta.key.name_space, fields_);
  check_annotations(metadata, fields_);
  fields_.labels(metadata, "labels");
  record.keys = decode_gang_keys(metadata, fields_, true);
  record.job = decode_job(named.object, pods_, fields_, options_.keep_raw);
  record.of_template = record.job->pod.keys;
  record.end = owner_end(named.object);
  record.used = true;
  add_workloads(named.object, record, keeper);
  keeper.keep(std::move(record), &Records::owners);
}

// Pods are also grouped by an owner whose kind has records of its own, whatever errors it has.
void ObjectLoader::add_owner(const NamedObject& named) {
  OwnerRecord record{named.meta};
  take_head(named.object, record);
  record.used = true;
  lists_.add(std::move(record), &Records::owners);
}

void ObjectLoader::take_head(Value object, OwnerRecord& owner) {
  owner.meta.owner = decode_owner(object["metadata"], owner.meta.key.name_space, fields_);
  owner.keys = decode_gang_keys(object["metadata"], fields_, false);
  owner.of_template = decode_gang_keys(object["spec"]["template"]["metadata"], fields_, false);
}

void ObjectLoader::load_other(Value object, std::string_view api_version, std::string_view kind) {
  FirstError first(fields_.report());
  OwnerRecord record;
  record.meta = decode_meta(object, api_group(api_version), kind, true, false, fields_);
  std::string name = object_name(object, record.meta);
  record.meta.key.name = fields_.intern(name);
  note_pool(object, record.meta);
  const Kind* known = find_kind(api_group(api_version), kind);
  Kind other{KindId::Owner,
             api_group(api_version),
             kind,
             {},
             true,
             OnError::KeepBroken,
             known != nullptr ? known->key : KeyKind::Name};
  if (!name.empty() && !is_first(object, other, record.meta)) return;
  begin_dependencies(other, record.meta, name);
  take_head(object, record);
  const OwnerKind* owner = find_owner_kind(api_group(api_version), kind);
  // The workload decides where its pods go.
  if (owner != nullptr && !asks_for_workload(object, record.meta, fields_.vocabulary().strings)) {
    record.shape = read_owner_shape(object, *owner, fields_);
  }
  record.end = owner_end(object);
  // Of an object with a queue name the workload keeps the room for the pods.
  bool queued = !annotation_or_label(object["metadata"], kQueueNameKey).text().empty();
  if (owner != nullptr && !queued && !name.empty()) {
    read_owner_pods(object, api_version, record, pods_, fields_, options_.keep_raw);
  }
  // Without a queue name a TrainJob needs its JobSet only for pods.
  if (options_.make_pods || queued || owner == nullptr) {
    record.text = trainer_text(object, record, fields_);
    record.used = record.text && owner == nullptr;
  }
  record.asks_scheduler = asks_scheduler(object, record);
  if (options_.keep_raw) keep_raw(object, record.meta, api_version, name);
  RecordKeeper keeper(other, name, first, lists_);
  if (!name.empty()) add_workloads(object, record, keeper);
  keeper.keep(std::move(record), &Records::owners);
}

// The workloads have the owner's errors.
void ObjectLoader::add_workloads(Value object, OwnerRecord& owner, const RecordKeeper& keeper) {
  if (!asks_for_workload(object, owner.meta, fields_.vocabulary().strings)) return;
  owner.used = true;
  WorkloadMaker maker{object, owner.meta, owner.job.get()};
  const StringTable& strings = fields_.vocabulary().strings;
  const OwnerKind* kind =
      find_owner_kind(strings.view(owner.meta.key.group), strings.view(owner.meta.key.kind));
  if (kind->roles == RolesAt::Runtime) return refer_to_workload(maker, fields_);
  for (WorkloadRecord& made : make_owner_workloads(maker, pods_, fields_)) {
    keeper.keep(std::move(made), &KueueRecords::of_owners);
  }
}

void ObjectLoader::add_workload(const OwnerRecord& train_job, Value job_set) {
  FirstError first(fields_.report());
  const StringTable& strings = fields_.vocabulary().strings;
  const ObjectKey& key = train_job.meta.key;
  RecordKeeper keeper(*find_kind(strings.view(key.group), strings.view(key.kind)),
                      strings.view(key.name), first, lists_);
  WorkloadMaker maker{job_set, train_job.meta, nullptr,
                      find_owner_kind("jobset.x-k8s.io", "JobSet")};
  for (WorkloadRecord& made : make_owner_workloads(maker, pods_, fields_)) {
    keeper.keep(std::move(made), &KueueRecords::of_owners);
  }
}

// A generated name is computed from the content, so that it stays the same wherever the object is;
// equal objects are numbered, and because they are equal their order does not matter.
std::string ObjectLoader::object_name(Value object, const Meta& meta) {
  Value metadata = object["metadata"];
  if (!metadata["name"].text().empty()) return std::string(metadata["name"].text());
  std::string_view prefix = metadata["generateName"].text();
  if (prefix.empty()) return "";
  uint64_t parts[2] = {content_hash(object), 0};
  const StringTable& strings = fields_.vocabulary().strings;
  for (StrId part : {meta.key.kind, meta.key.name_space}) {
    std::string_view text = strings.view(part);
    parts[1] = XXH3_64bits_withSeed(text.data(), text.size(), parts[1]);
  }
  uint64_t hash = XXH3_64bits(parts, sizeof parts);
  uint64_t ordinal[2] = {hash, static_cast<uint64_t>(generated_[hash]++)};
  return std::string(prefix) + name_suffix(XXH3_64bits(ordinal, sizeof ordinal));
}

void ObjectLoader::note_pool(Value object, const Meta& meta) {
  if (shard_ == nullptr) return;
  std::string_view pool = object["metadata"]["labels"][shard_->key].text();
  if (!pool.empty()) pools_.emplace(meta.key, fields_.intern(pool));
}

bool ObjectLoader::is_first(Value object, const Kind& kind, const Meta& meta) {
  last_seen_ = {.key = meta.key,
                .pos = meta.pos,
                .namespaced = kind.namespaced,
                .topology = kind.id == KindId::Topology};
  // References name a topology without its API group, so the topologies of both groups are one
  // kind.
  if (last_seen_.topology) last_seen_.key.group = StringTable::kEmpty;
  auto [found, added] = seen_.emplace(last_seen_.key, meta.pos);
  if (added) return true;
  // KAI and Kueue may each have the same levels under one name.
  if (last_seen_.topology && has_topology(decode_topology({object, meta, ""}, fields_)))
    return false;
  Value at = object["metadata"]["name"];
  report_second(last_seen_, fields_.report().place(at.absent() ? object : at), found->second);
  return false;
}

bool ObjectLoader::is_first(const DecodedObject& object) {
  auto [found, added] = seen_.emplace(object.identity.key, object.identity.pos);
  if (added) return true;
  if (object.identity.topology && !object.records.empty()) {
    object.records[0]->copy_to(lists_);
    TopologyRecord twin = std::move(records().topologies.back());
    records().topologies.pop_back();
    if (has_topology(twin)) return false;
  }
  SourcePos name{.file = object.identity.pos.file,
                 .line = object.identity.name_line,
                 .document = object.identity.pos.document};
  report_second(object.identity, {name, "$.metadata.name"}, found->second);
  return false;
}

void ObjectLoader::report_second(const Identity& identity, const Place& at, SourcePos first) {
  const StringTable& strings = fields_.vocabulary().strings;
  std::string name(strings.view(identity.key.name));
  if (identity.namespaced) name = std::string(strings.view(identity.key.name_space)) + "/" + name;
  Report& report = fields_.report();
  report.error(at, {std::string(strings.view(identity.key.kind)) + " " + name + " a second time",
                    "each object once (the first is at " + report.show(first) + ")", ""});
}

// Whether the other group has a topology of this name with the same levels.
bool ObjectLoader::has_topology(const TopologyRecord& twin) const {
  for (const TopologyRecord& record : lists_.records.topologies) {
    const ObjectKey& key = record.meta.key;
    if (key.name != twin.meta.key.name || key.group == twin.meta.key.group) continue;
    return twin.topology.levels == record.topology.levels;
  }
  return false;
}

SharedValue<DecodedObject> ObjectLoader::take_object(Value name) {
  if (seen_.size() != 1 || !generated_.empty() || records().cycle) return nullptr;
  DecodedObject object{.identity = last_seen_,
                       .newest = fields_.newest(),
                       .records = std::move(apart_),
                       .notes = nullptr};
  object.identity.name_line = static_cast<uint32_t>(name.line());
  DecodedNotes notes{.pool = {}, .diagnostics = fields_.report().take()};
  if (!pools_.empty()) notes.pool = *pools_.begin();
  if (notes.pool || !notes.diagnostics.empty()) {
    object.notes = std::make_unique<const DecodedNotes>(std::move(notes));
  }
  return SharedValue(std::move(object));
}

void ObjectLoader::add(const DecodedObject& object) {
  const DecodedNotes* notes = object.notes.get();
  if (notes != nullptr && notes->pool) pools_.emplace(notes->pool->first, notes->pool->second);
  if (!is_first(object)) return;
  if (notes != nullptr) {
    for (const Diagnostic& diagnostic : notes->diagnostics) fields_.report().add(diagnostic);
  }
  fields_.see_time(object.newest);
  for (const auto& record : object.records) record->copy_to(lists_);
}

// Adds the batch's objects to those seen, if none was seen before.
bool ObjectLoader::all_first(const ObjectLoader& batch) {
  size_t added = 0;
  for (const auto& [key, pos] : batch.seen_) {
    if (!seen_.emplace(key, pos).second) break;
    ++added;
  }
  if (added == batch.seen_.size()) return true;
  for (auto at = batch.seen_.begin(); added > 0; ++at, --added) seen_.erase(at->first);
  return false;
}

bool ObjectLoader::add_batch(ObjectLoader& batch) {
  auto generated_here = [&](const auto& name) { return generated_.contains(name.first); };
  bool apart = !batch.fields_.has_left_out() && !batch.records().cycle &&
               std::ranges::none_of(batch.generated_, generated_here) && all_first(batch);
  if (!apart) return false;
  if (!fields_.report().add_all(batch.fields_.report())) {
    for (const auto& [key, pos] : batch.seen_) seen_.erase(key);
    return false;
  }
  fields_.see_time(batch.fields_.newest());
  generated_.insert(batch.generated_.begin(), batch.generated_.end());
  pools_.insert(batch.pools_.begin(), batch.pools_.end());
  lists_.append(batch.lists_);
  auto move_raw = [](std::vector<RawObject>& from, std::vector<RawObject>& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  move_raw(batch.raw_, raw_);
  move_raw(batch.raw_owners_, raw_owners_);
  return true;
}

bool ObjectLoader::knows_any(const InputRecords& input) const {
  if (lists_.records.cycle && input.records.cycle) return true;
  auto known = [this](const ReadObject& object) { return seen_.contains(object.key); };
  auto generated = [this](const auto& entry) { return generated_.contains(entry.first); };
  return (!seen_.empty() && std::ranges::any_of(input.objects, known)) ||
         std::ranges::any_of(input.generated, generated);
}

bool ObjectLoader::add_all(InputRecords& input) {
  if (knows_any(input)) return false;
  seen_.reserve(seen_.size() + input.objects.size());
  for (const ReadObject& object : input.objects) seen_.emplace(object.key, object.pos);
  generated_.insert(input.generated.begin(), input.generated.end());
  fields_.see_time(input.newest);
  RecordLists lists{.records = std::move(input.records), .kueue = std::move(input.kueue)};
  lists_.append(lists);
  return true;
}

InputRecords ObjectLoader::take_all() {
  InputRecords all{.records = std::move(lists_.records),
                   .kueue = std::move(lists_.kueue),
                   .generated = {generated_.begin(), generated_.end()},
                   .newest = fields_.newest()};
  for (const auto& [key, pos] : seen_) all.objects.push_back({key, pos});
  std::ranges::sort(all.objects, {}, [](const ReadObject& object) {
    const SourcePos& pos = object.pos;
    return std::tuple(pos.file, pos.document, pos.line, object.key);
  });
  std::ranges::sort(all.generated);
  // As a finished reading has them, so that readers of the snapshot have nothing to sort.
  sort_large(all.records.pods, [this](const PodRecord& record) {
    return object_key(record.object, fields_.vocabulary().strings);
  });
  return all;
}

void ObjectLoader::keep_raw(Value object, const Meta& meta, std::string_view api_version,
                            const std::string& name) {
  const StringTable& strings = fields_.vocabulary().strings;
  std::string kind(strings.view(meta.key.kind));
  JsonAdditions additions;
  if (object["apiVersion"].absent()) additions.api_version = api_version;
  if (object["kind"].absent()) additions.kind = kind;
  if (object["metadata"]["name"].text().empty()) additions.name = name;
  const Kind* known = find_kind(api_group(api_version), kind);
  bool namespaced = known == nullptr || known->namespaced;
  RawObject raw{kind, namespaced ? std::string(strings.view(meta.key.name_space)) : "", name,
                json_text(object, additions, private_members(object))};
  bool owner = known == nullptr || known->id == KindId::Owner || known->id == KindId::Job ||
               known->id == KindId::DaemonSet;
  (owner ? raw_owners_ : raw_).push_back(std::move(raw));
}

std::vector<RawObject> ObjectLoader::take_raw() {
  std::vector<RawObject> all = std::move(raw_owners_);
  all.insert(all.end(), std::make_move_iterator(raw_.begin()), std::make_move_iterator(raw_.end()));
  return all;
}

}  // namespace trellis
