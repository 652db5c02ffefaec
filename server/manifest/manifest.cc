#include "server/manifest/manifest.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>

#include "server/document/field_reader.h"
#include "server/document/report.h"
#include "server/grouping/job_expansion.h"
#include "server/grouping/link_gangs.h"
#include "server/grouping/link_workloads.h"
#include "server/grouping/made_pod.h"
#include "server/grouping/owner_expansion.h"
#include "server/grouping/train_jobs.h"
#include "server/grouping/zone_groups.h"
#include "server/manifest/batch_reader.h"
#include "server/manifest/group_claims.h"
#include "server/manifest/input_files.h"
#include "server/manifest/kueue_gaps.h"
#include "server/manifest/label_levels.h"
#include "server/manifest/link_devices.h"
#include "server/manifest/link_kueue.h"
#include "server/manifest/link_node_labels.h"
#include "server/manifest/link_numa.h"
#include "server/manifest/link_queues.h"
#include "server/manifest/link_resource_claims.h"
#include "server/manifest/link_volumes.h"
#include "server/manifest/make_resource_claims.h"
#include "server/manifest/make_snapshot.h"
#include "server/manifest/make_volume_claims.h"
#include "server/manifest/missing_nodes.h"
#include "server/manifest/object_loader.h"
#include "server/manifest/pod_claims.h"
#include "server/manifest/skipped_objects.h"
#include "server/manifest/snapshot_input.h"
#include "server/manifest/text_decoder.h"
#include "server/objects/object_key.h"
#include "server/system/consumed_text.h"
#include "session/cluster/objects.h"
#include "session/cluster/sort_large.h"

namespace trellis {
namespace {

class ManifestReader {
 public:
  ManifestReader(Vocabulary& vocabulary, const ReadOptions& options, const Shard* shard = nullptr)
      : options_(options),
        shard_(shard),
        strings_(vocabulary.strings),
        fields_(vocabulary, report_),
        loader_(fields_, specs_, options_, shard) {}

  void read_files(const std::vector<std::string>& paths) {
    size_t before = report_.diagnostics().size();
    std::vector<InputFile> files = find_input_files(paths, report_.diagnostics());
    all_found_ = report_.diagnostics().size() == before;
    for (const InputFile& file : files) total_ += file.size;
    for (const InputFile& file : files) {
      bool known = file.name == "-" && options_.standard_input;
      Result<std::string> text = known ? *options_.standard_input : read_input_file(file);
      if (!text) {
        refuse_file(file.name, text.error().message, "a file that can be read");
        continue;
      }
      if (is_snapshot(*text)) {
        read_snapshot(file.name, *text);
        continue;
      }
      ConsumedText consumed(std::move(*text));
      read_text(file.name, consumed.view(), [&](size_t offset) { consumed.consume(offset); });
    }
  }

  // Before finish(): gangs may name the topology that is made here.
  void add_levels() {
    if (options_.levels.empty()) return propose_levels();
    Result<std::vector<std::string>> labels =
        labels_of_words(options_.levels, loader_.records().nodes, strings_);
    if (labels) {
      levels_text_ = topology_of_labels(*labels);
      read_text("--levels", levels_text_);
    } else {
      report_.summary(Severity::Error, "--levels: " + labels.error().message);
    }
  }

  void read_texts(std::span<const NamedText> texts) {
    for (const NamedText& text : texts) total_ += static_cast<int64_t>(text.text.size());
    for (const NamedText& text : texts) read_text(text.name, text.text.str());
  }

  std::vector<Diagnostic> take_report() { return report_.take(); }

  void read_parts(std::span<const TextPart> parts) {
    loader_.expect(parts.size());
    report_.expect_files(parts.size());
    for (const TextPart& part : parts) {
      report_.begin_file(part.name, part.number);
      if (part.object != nullptr) {
        loader_.add(*part.object);
      } else {
        scan_text(part.name, part.number, part.text->str());
      }
    }
  }

  // All that follows is kept as a snapshot.
  MadeSnapshot keep(const std::vector<std::string>& paths) {
    SnapshotWriter writer;
    kept_ = &writer;
    read_texts(options_.texts);
    read_files(paths);
    kept_ = nullptr;
    if (writer.text_bytes() > kMostFileBytes) {
      refuse_file("", "more than 4096 MiB of text", "an input that a snapshot can hold");
    }
    InputRecords records = loader_.take_all();
    records.files.assign(names_.begin(), names_.end());
    records.diagnostics = report_.diagnostics();
    MadeSnapshot made{.objects = records.objects.size(), .text_bytes = writer.text_bytes()};
    if (all_found_) made.bytes = pack_snapshot(writer, records, fields_.vocabulary());
    made.diagnostics = report_.take();
    return made;
  }

  // `text` must be followed by a zero byte. `consumed`: as in ReadSink.
  void read_text(const std::string& name, std::string_view text,
                 std::function<void(size_t offset)> consumed = {}) {
    if (kept_ != nullptr) kept_->add_text(name, text);
    begin_file(name);
    scan_text(name, static_cast<uint32_t>(names_.size() - 1), text, std::move(consumed));
  }

  // The order of the steps counts: each reads what those before it have linked.
  Manifest finish() {
    Manifest manifest;
    if (makes_pods()) make_job_sets();
    batches_.reset();
    loader_.end();
    link_node_labels(loader_.records(), report_);
    // Before all else: objects of other shards are not linked.
    if (shard_ != nullptr) {
      other_shards_ = restrict_to(*shard_, loader_.pools(), loader_.records(), fields_);
    }
    link_queues(loader_.records().queues, fields_.vocabulary(), report_);
    link_all_workloads();
    make_pods(manifest);
    link_pods();
    // After the pods have their errors and holds: the gang of a pod waits with the pod's error.
    manifest.objects.gangs = link_gangs(loader_.records(), fields_);
    // After all link_ steps: an owner that none of them used was skipped.
    use_workload_owners(loader_.records(), loader_.kueue());
    report_skipped(loader_.records().owners, strings_, report_);
    if (options_.keep_raw) collect_raw(manifest.raw);
    move_all(manifest);
    return manifest;
  }

 private:
  void refuse_file(const std::string& name, std::string found, std::string expected) {
    all_found_ = false;
    report_.diagnostics().push_back(
        {.file = name, .found = std::move(found), .expected = std::move(expected)});
  }

  void begin_file(const std::string& name) {
    names_.push_back(name);
    report_.begin_file(names_.back(), static_cast<uint32_t>(names_.size() - 1));
  }

  // The records, where nothing needs the texts and this program would make the same of them.
  void read_snapshot(const std::string& name, std::string_view bytes) {
    Result<SnapshotParts> parts = open_snapshot(bytes);
    if (!parts) return refuse_file(name, parts.error().message, "");
    bool ours = is_of_this_program(*parts);
    // What is saved is of this program again.
    if (!ours && kept_ == nullptr) report_.diagnostics().push_back(other_program(name, *parts));
    bool texts = options_.keep_raw || kept_ != nullptr || !ours;
    if (texts || !take_records(parts->records)) read_texts_of(name, parts->texts);
  }

  bool take_records(const PackedPart& records) {
    std::optional<InputRecords> rest =
        add_records(records, static_cast<uint32_t>(names_.size()), fields_.vocabulary(), loader_);
    if (!rest) return false;
    for (const std::string& file : rest->files) begin_file(file);
    for (const Diagnostic& diagnostic : rest->diagnostics) report_.add(diagnostic);
    return true;
  }

  void read_texts_of(const std::string& name, const PackedPart& part) {
    Result<std::string> plain = unpack_part(part, kMostFileBytes);
    if (!plain) return refuse_file(name, plain.error().message, "");
    ConsumedText consumed(std::move(*plain));
    SnapshotText text;
    for (size_t at = 0; next_text(consumed.view(), at, text);) {
      auto begin = static_cast<size_t>(text.text.data() - consumed.view().data());
      read_text(text.name, text.text, [&](size_t offset) { consumed.consume(begin + offset); });
    }
  }

  void scan_text(std::string_view name, uint32_t number, std::string_view text,
                 std::function<void(size_t offset)> consumed = {}) {
    ReadSink sink{.file = name,
                  .diagnostics = &report_.diagnostics(),
                  .document = [this](const Document& document,
                                     const ListHead& head) { loader_.load(document, head); },
                  .progress = {},
                  .consumed = std::move(consumed)};
    if (options_.progress) {
      sink.progress = [this](int64_t bytes) {
        options_.progress(done_ + bytes, std::max(total_, done_ + bytes));
      };
    }
    if (is_read_by_many(name, text)) {
      if (!batches_) batches_.emplace(fields_.vocabulary(), options_, shard_);
      batches_->read(text, number, sink, loader_);
    } else {
      read_documents(text, sink);
    }
    done_ += static_cast<int64_t>(text.size());
    if (options_.progress) options_.progress(done_, std::max(total_, done_));
  }

  bool is_read_by_many(std::string_view name, std::string_view text) const {
    return options_.threads > 1 && text.size() > options_.most_bytes_alone &&
           input_format(name, text) == InputFormat::JsonText;
  }

  void propose_levels() {
    if (!loader_.records().topologies.empty()) return;
    std::vector<std::string> labels = network_labels(loader_.records().nodes, strings_);
    if (labels.empty()) return;
    std::string text = labels.front();
    for (size_t i = 1; i < labels.size(); ++i) text += "," + labels[i];
    report_.summary(Severity::Note,
                    "no Topology was read; labels of the nodes make one: --levels " + text);
  }

  // make_workloads() comes before link_kueue(), which needs all workloads; both come before
  // hold_jobs(), which suspends the Jobs of workloads that are not admitted.
  void link_all_workloads() {
    Records& records = loader_.records();
    KueueRecords& kueue = loader_.kueue();
    if (options_.queues_elsewhere || has_queues(kueue)) {
      make_train_workloads();
      make_workloads(records, kueue, fields_);
    }
    link_kueue(kueue, records, fields_);
    finish_workloads(records, kueue);
    hold_jobs(records, kueue, fields_);
  }

  bool makes_pods() {
    const std::optional<CycleObject>& cycle = loader_.records().cycle;
    return options_.make_pods && (!cycle || cycle->make_pods);
  }

  // Read like objects of the input, in texts of their own.
  void make_job_sets() {
    for (const MadeJobSet& made :
         trellis::make_job_sets(JobSetUse::Pods, loader_.records(), fields_)) {
      size_t owners = loader_.records().owners.size();
      read_text(made.of, made.text);
      // It was not skipped, whether or not it makes pods.
      if (loader_.records().owners.size() > owners) loader_.records().owners.back().used = true;
    }
  }

  // What is wrong in a text of one object, such as a live one, is reported at that text.
  void make_train_workloads() {
    for (const MadeJobSet& made :
         trellis::make_job_sets(JobSetUse::Workload, loader_.records(), fields_)) {
      const OwnerRecord& train_job = loader_.records().owners[made.train_job];
      std::string_view file = report_.file(train_job.meta.pos.file);
      names_.push_back(options_.make_pods ? made.of : std::string(file));
      uint32_t number =
          options_.make_pods ? static_cast<uint32_t>(names_.size() - 1) : train_job.meta.pos.file;
      report_.begin_file(names_.back(), number);
      ReadSink sink{.file = names_.back(), .diagnostics = &report_.diagnostics()};
      sink.document = [&](const Document& document, const ListHead& /*head*/) {
        loader_.add_workload(train_job, document.root());
      };
      read_documents(made.text, sink);
    }
  }

  // The pods that controllers would make now, with their claims, among the others by namespace and
  // name: later steps look pods up in this order.
  void make_pods(Manifest& manifest) {
    Records& records = loader_.records();
    std::vector<RawObject>* raw = options_.keep_raw ? &manifest.raw : nullptr;
    PodFactory pods(records,
                    makes_pods() ? std::optional(options_.max_expanded_pods) : std::nullopt,
                    fields_, raw);
    if (makes_pods()) expand_owners(records, pods, fields_);
    expand_jobs(records, pods, fields_);
    sort_large(records.pods,
               [this](const PodRecord& record) { return object_key(record.object, strings_); });
    mark_group_claims(records);
    if (!makes_pods()) return;
    make_volume_claims(records, fields_, raw);
    make_resource_claims(records, fields_, raw);
  }

  // To workloads first: the hold of a claim replaces that of a workload.
  void link_pods() {
    Records& records = loader_.records();
    KueueRecords& kueue = loader_.kueue();
    link_workload_pods(records, kueue, fields_);
    report_readiness(records, kueue, strings_);
    if (!options_.queues_elsewhere) warn_of_kueue_gaps(records, kueue, fields_);
    if (makes_pods()) warn_of_missing_nodes(records, report_);
    link_numa(records, fields_.vocabulary());
    link_volumes(records, kueue, fields_);
    link_resource_claims(records, fields_,
                         makes_pods() ? ClaimsMadeBy::Reader : ClaimsMadeBy::Controller);
    link_devices(records, fields_);
  }

  // An owner counts for its workload, whether or not it has pods.
  static void use_workload_owners(Records& records, const KueueRecords& kueue) {
    ObjectSet owning;
    for (const WorkloadRecord& record : kueue.workloads) {
      owning.insert(record.owners.begin(), record.owners.end());
    }
    if (owning.empty()) return;
    for (OwnerRecord& owner : records.owners)
      owner.used = owner.used || owning.contains(owner.meta.key);
  }

  // Empties the records.
  void move_all(Manifest& manifest) {
    Records& records = loader_.records();
    KueueRecords& kueue = loader_.kueue();
    move_objects(records, manifest.objects);
    manifest.workload_owners = list_workload_owners(kueue, strings_);
    move_kueue_objects(kueue, manifest.objects);
    sort_objects(manifest.objects, strings_);
    configure(records.cycle, manifest.objects);
    manifest.cycle = std::move(records.cycle);
    manifest.newest_timestamp = fields_.newest();
    manifest.diagnostics = report_.take();
  }

  void configure(const std::optional<CycleObject>& cycle, Objects& objects) {
    ReadingSettings settings =
        options_.settings ? *options_.settings : reading_settings(cycle ? cycle->config : Config());
    if (cycle && cycle->hold_gpu_fractions) settings.gpu_fractions = GpuFractions::Held;
    auto has_zones = [](const Node& node) { return static_cast<bool>(node.numa); };
    bool zones = options_.zones_elsewhere || settings.zones == Zones::Sought ||
                 std::ranges::any_of(objects.nodes, has_zones);
    if (!zones) forget_demands(objects);
    apply_settings(settings, strings_, objects);
  }

  void move_objects(Records& records, Objects& objects) {
    objects.nodes.reserve(records.nodes.size());
    for (NodeRecord& record : records.nodes) objects.nodes.push_back(std::move(record.node));
    objects.pods.reserve(records.pods.size());
    for (; !records.pods.empty(); records.pods.pop_front()) {
      objects.pods.push_back(std::move(records.pods.front().object));
    }
    objects.queues.reserve(records.queues.size());
    for (QueueRecord& record : records.queues) {
      if (!record.meta.broken()) objects.queues.push_back(std::move(record.queue));
    }
    for (TopologyRecord& record : records.topologies) {
      if (record.meta.broken()) continue;
      drop_zone_level(record.topology, strings_);
      objects.topologies.push_back(std::move(record.topology));
    }
    move_storage(records, objects);
    move_devices(records, strings_, objects);
    for (BudgetRecord& record : records.budgets) {
      objects.budgets.push_back(std::move(record.budget));
    }
    for (NodeRequestRecord& record : records.node_requests) {
      if (record.request.gang.valid()) objects.node_requests.push_back(std::move(record.request));
    }
    for (ReservationRecord& record : records.reservations) {
      objects.reservations.push_back(std::move(record.reservation));
    }
    for (NameSpaceRecord& record : records.name_spaces) {
      objects.name_spaces.push_back(std::move(record.name_space));
    }
  }

  // Skipped objects are not part of the cluster.
  void collect_raw(std::vector<RawObject>& raw) {
    std::vector<RawObject> read = loader_.take_raw();
    const std::vector<OwnerRecord>& owners = loader_.records().owners;
    for (size_t i = 0; i < read.size(); ++i) {
      bool part = i >= owners.size() || owners[i].used;
      if (part && !other_shards_.holds(read[i])) raw.push_back(std::move(read[i]));
    }
    std::sort(raw.begin(), raw.end(), [](const RawObject& a, const RawObject& b) {
      return std::tie(a.kind, a.name_space, a.name, a.json) <
             std::tie(b.kind, b.name_space, b.name, b.json);
    });
  }

  const ReadOptions& options_;
  const Shard* shard_;  // null: all of the cluster
  const StringTable& strings_;
  Report report_;
  FieldReader fields_;
  SpecPool specs_;
  ObjectLoader loader_;
  std::optional<BatchReader> batches_;  // made for the first large text
  SnapshotWriter* kept_ = nullptr;      // not null: gets all texts that are read
  bool all_found_ = true;               // every file could be read
  OtherShards other_shards_;            // of other shards
  std::deque<std::string> names_;       // of files
  std::string levels_text_;             // of the Topology that add_levels() made
  int64_t total_ = 0;
  int64_t done_ = 0;
};

}  // namespace

bool Manifest::has_errors() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::Error;
  });
}

Manifest read_manifest(const std::vector<std::string>& paths, Vocabulary& vocabulary,
                       const ReadOptions& options) {
  ManifestReader reader(vocabulary, options);
  reader.read_texts(options.texts);
  reader.read_files(paths);
  reader.add_levels();
  return reader.finish();
}

MadeSnapshot make_snapshot(const std::vector<std::string>& paths, const ReadOptions& options) {
  // The ids of strings, which the file has, depend on the number of threads.
  ReadOptions alone = options;
  alone.threads = 1;
  Vocabulary vocabulary;
  return ManifestReader(vocabulary, alone).keep(paths);
}

Manifest read_manifest_texts(std::span<const NamedText> texts, Vocabulary& vocabulary,
                             const ReadOptions& options) {
  ManifestReader reader(vocabulary, options);
  reader.read_texts(texts);
  return reader.finish();
}

Manifest read_shard_texts(std::span<const NamedText> texts, Vocabulary& vocabulary,
                          const ReadOptions& options, const Shard& shard) {
  ManifestReader reader(vocabulary, options, &shard);
  reader.read_texts(texts);
  return reader.finish();
}

Manifest read_parts(std::span<const TextPart> parts, Vocabulary& vocabulary,
                    const ReadOptions& options, const std::optional<Shard>& shard) {
  ManifestReader reader(vocabulary, options, shard ? &*shard : nullptr);
  reader.read_parts(parts);
  return reader.finish();
}

Manifest read_manifest_text(std::string_view file, std::string_view text, Vocabulary& vocabulary,
                            const ReadOptions& options) {
  ManifestReader reader(vocabulary, options);
  std::string terminated(text);
  reader.read_text(std::string(file), terminated);
  return reader.finish();
}

std::vector<Diagnostic> check_manifest_text(std::string_view file, std::string_view text) {
  Vocabulary vocabulary;
  ReadOptions options;
  ManifestReader reader(vocabulary, options);
  std::string terminated(text);
  reader.read_text(std::string(file), terminated);
  return reader.take_report();
}

}  // namespace trellis
