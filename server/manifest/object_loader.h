// Makes records of documents: each object is recognised, checked for its name, and decoded.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/shared_value.h"
#include "server/document/document_sink.h"
#include "server/document/field_reader.h"
#include "server/manifest/decoded_object.h"
#include "server/manifest/manifest.h"
#include "server/manifest/shard.h"
#include "server/objects/decode_pod.h"
#include "server/objects/kinds.h"
#include "server/objects/object_key.h"
#include "server/objects/record_keeper.h"
#include "server/objects/record_lists.h"
#include "server/objects/records.h"
#include "server/snapshot/input_records.h"

namespace trellis {

class ObjectLoader {
 public:
  // `shard`: the shard whose label is recorded; null: none.
  ObjectLoader(FieldReader& fields, SpecPool& specs, const ReadOptions& options, const Shard* shard)
      : fields_(fields), options_(options), shard_(shard), pods_(fields, specs) {}

  // Loads a document of the file that the report is at: an object, or a list of objects.
  void load(const Document& document, const ListHead& head);
  // So many objects are about to be added.
  void expect(size_t objects) { seen_.reserve(objects); }
  // Adds an object that another loader decoded.
  void add(const DecodedObject& object);
  // Adds all objects of the loader of a batch (batch_reader.h), as if they were loaded here. False,
  // and nothing is added, where that would differ: objects of the batch and of this loader decide
  // about each other, or the batch has a resource that the vocabulary did not have.
  bool add_batch(ObjectLoader& batch);
  // Adds the workload of a TrainJob with a queue name, whose JobSet this is.
  void add_workload(const OwnerRecord& train_job, Value job_set);
  // Adds all that another loader decoded; false: some object of it was read before, and nothing was
  // added. REQUIRES: no text and no shard's label is kept.
  bool add_all(InputRecords& input);
  // All that was decoded, without its files and diagnostics, which leaves the loader.
  InputRecords take_all();
  // No more objects are loaded: what distinguishes objects is given back.
  void end() { seen_ = {}; }
  // Keeps the records of one object apart, for take_object(). REQUIRES: nothing is loaded yet.
  void keep_apart() { lists_.apart = &apart_; }
  // The one object that was loaded, whose name is this value. It leaves the loader and the report.
  // null: there is none, or several, or the others in the input decide about its name.
  SharedValue<DecodedObject> take_object(Value name);

  Records& records() { return lists_.records; }
  const Pools& pools() const { return pools_; }
  KueueRecords& kueue() { return lists_.kueue; }
  // The text of each of records.owners, in their order, then of all other objects; only with
  // keep_raw.
  std::vector<RawObject> take_raw();

 private:
  struct Item {
    Value value;
    ListHead head;
  };
  using Items = boost::container::small_vector<Item, 1>;
  void load_list(Value list, const ListHead& head, Items& items);
  void load_object(Value object, const ListHead& head);
  void load_cycle(Value object, const Kind& kind);
  void load_known(Value object, const Kind& kind, std::string_view api_version);
  void load_other(Value object, std::string_view api_version, std::string_view kind);
  bool check_version(Value object, const Kind& kind, std::string_view api_version);
  bool is_slip(Value object, std::string_view group, std::string_view kind);
  std::string object_name(Value object, const Meta& meta);
  void note_pool(Value object, const Meta& meta);
  bool is_first(Value object, const Kind& kind, const Meta& meta);
  bool is_first(const DecodedObject& object);
  bool all_first(const ObjectLoader& batch);
  bool knows_any(const InputRecords& input) const;
  void report_second(const Identity& identity, const Place& at, SourcePos first);
  void begin_dependencies(const Kind& kind, const Meta& meta, std::string_view name);
  void add_job(NamedObject named, const RecordKeeper& keeper);
  void add_workloads(Value object, OwnerRecord& owner, const RecordKeeper& keeper);
  void add_owner(const NamedObject& named);
  void take_head(Value object, OwnerRecord& owner);
  bool has_topology(const TopologyRecord& twin) const;
  void keep_raw(Value object, const Meta& meta, std::string_view api_version,
                const std::string& name);

  FieldReader& fields_;
  const ReadOptions& options_;
  const Shard* shard_;
  PodDecoder pods_;
  Pools pools_;
  RecordLists lists_;
  KeptRecords apart_;
  ObjectMap<SourcePos> seen_;
  Identity last_seen_;
  absl::flat_hash_map<uint64_t, int> generated_;  // how often equal content had its name generated
  std::vector<RawObject> raw_;
  std::vector<RawObject> raw_owners_;
};

}  // namespace trellis
