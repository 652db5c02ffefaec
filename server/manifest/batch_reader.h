// Reads a text with several threads: one finds the documents, all decode batches of them, and the
// batches are added to the reading in the order of the text.
//
// Words: a *batch* is a run of documents that are decoded together, apart from all others.
// Guarantees: the result is that of one thread that loads the documents one by one. A batch whose
// objects depend on those before is loaded again so (ObjectLoader::add_batch()).
// Cost: memory O(threads) batches.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "framework/vocabulary.h"
#include "server/document/diagnostic.h"
#include "server/document/document.h"
#include "server/document/document_sink.h"
#include "server/document/field_reader.h"
#include "server/document/report.h"
#include "server/manifest/manifest.h"
#include "server/manifest/object_loader.h"
#include "server/manifest/shard.h"
#include "server/objects/spec_pool.h"

namespace trellis {

// A batch of a text: its documents, and the records of their objects.
class DocumentBatch {
 public:
  DocumentBatch(Vocabulary& vocabulary, const ReadOptions& options, const Shard* shard)
      : vocabulary_(vocabulary), options_(options), shard_(shard) {}

  void add(Document& document, const ListHead& head);
  bool empty() const { return used_ == 0; }
  bool full() const { return used_ >= kDocuments || elements_ >= kElements; }
  // What follows the batch: findings of the text's reader; the text before an offset is not needed
  // once the batch is added.
  std::vector<Diagnostic> found;
  size_t consumed = 0;

  // In any thread. `pool`: of this thread alone.
  void decode(std::string_view file, uint32_t number, SpecPool& pool);
  // Adds the decoded objects, or loads the documents again where that would not be the same.
  void add_to(ObjectLoader& loader);
  void clear();

 private:
  static constexpr size_t kDocuments = 128;
  static constexpr size_t kElements = 32 << 10;

  struct Decoded {
    Decoded(const DocumentBatch& batch, SpecPool& pool)
        : fields(batch.vocabulary_, report), loader(fields, pool, batch.options_, batch.shard_) {}
    Report report;
    FieldReader fields;
    ObjectLoader loader;
  };

  Vocabulary& vocabulary_;
  const ReadOptions& options_;
  const Shard* shard_;
  std::vector<Document> documents_;  // the first `used_`; the others have memory for later ones
  std::vector<ListHead> heads_;      // of the documents, which keep the texts
  size_t used_ = 0;
  size_t elements_ = 0;
  std::optional<Decoded> decoded_;
};

class BatchReader {
 public:
  BatchReader(Vocabulary& vocabulary, const ReadOptions& options, const Shard* shard);

  // Reads a text as read_documents() does, with `sink` but for its documents, which `loader` gets.
  // Where it throws, no thread uses the text any more, and there is no second call.
  void read(std::string_view text, uint32_t number, const ReadSink& sink, ObjectLoader& loader);

 private:
  enum class State : uint8_t { Free, Waiting, Decoding, Decoded };
  struct Slot {
    Slot(Vocabulary& vocabulary, const ReadOptions& options, const Shard* shard)
        : batch(vocabulary, options, shard) {}
    DocumentBatch batch;
    State state = State::Free;
  };

  DocumentBatch& filling() { return slots_[next_ % slots_.size()]->batch; }
  void end_batch(std::vector<Diagnostic>& found, size_t consumed, const ReadSink& sink,
                 ObjectLoader& loader);
  void submit(const ReadSink& sink, ObjectLoader& loader);
  void finish_oldest(const ReadSink& sink, ObjectLoader& loader);
  Slot* take_waiting();
  void decode(Slot& slot, SpecPool& pool);
  void work(const std::stop_token& stop);

  std::vector<std::unique_ptr<Slot>> slots_;  // used in turn
  size_t next_ = 0;  // the batch that is filled; other threads read it with the mutex
  std::string_view file_;
  uint32_t number_ = 0;
  SpecPool pool_;  // of the thread that finds the documents

  std::mutex mutex_;    // of the states, and of what follows
  size_t oldest_ = 0;   // the batch that is added next
  size_t waiting_ = 0;  // no batch before this one waits
  std::condition_variable_any submitted_;
  std::condition_variable decoded_;
  std::vector<std::jthread> threads_;
};

}  // namespace trellis
