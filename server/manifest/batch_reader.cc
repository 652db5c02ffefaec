#include "server/manifest/batch_reader.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "server/manifest/input_files.h"

namespace trellis {

void DocumentBatch::add(Document& document, const ListHead& head) {
  if (used_ == documents_.size()) documents_.emplace_back();
  Document& kept = documents_[used_++];
  std::swap(kept, document);
  elements_ += kept.size();
  heads_.push_back({.kind = kept.keep(head.kind), .api_version = kept.keep(head.api_version)});
}

void DocumentBatch::decode(std::string_view file, uint32_t number, SpecPool& pool) try {
  decoded_.emplace(*this, pool);
  decoded_->report.begin_file(file, number);
  decoded_->fields.leave_out_new_resources();
  for (size_t i = 0; i < used_; ++i) decoded_->loader.load(documents_[i], heads_[i]);
} catch (const std::exception&) {
  // add_to() fails in the same way, in the thread that can report it.
  decoded_.reset();
}

void DocumentBatch::add_to(ObjectLoader& loader) {
  if (decoded_ && loader.add_batch(decoded_->loader)) return;
  for (size_t i = 0; i < used_; ++i) loader.load(documents_[i], heads_[i]);
}

void DocumentBatch::clear() {
  decoded_.reset();
  heads_.clear();
  found.clear();
  consumed = 0;
  used_ = 0;
  elements_ = 0;
}

BatchReader::BatchReader(Vocabulary& vocabulary, const ReadOptions& options, const Shard* shard) {
  // So many that a thread that is ahead seldom waits for another one.
  constexpr size_t kSlotsEach = 4;
  auto threads = static_cast<size_t>(options.threads);
  for (size_t i = 0; i < kSlotsEach * threads; ++i) {
    slots_.push_back(std::make_unique<Slot>(vocabulary, options, shard));
  }
  for (size_t i = 1; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

void BatchReader::read(std::string_view text, uint32_t number, const ReadSink& sink,
                       ObjectLoader& loader) try {
  file_ = sink.file;
  number_ = number;
  std::vector<Diagnostic> found;
  ReadSink inner = sink;
  inner.diagnostics = &found;
  inner.document = [&](Document& document, const ListHead& head) {
    if (!found.empty()) end_batch(found, 0, sink, loader);
    filling().add(document, head);
    if (filling().full()) end_batch(found, 0, sink, loader);
  };
  inner.consumed = [&](size_t offset) { end_batch(found, offset, sink, loader); };
  read_documents(text, inner);
  end_batch(found, 0, sink, loader);
  while (oldest_ != next_) finish_oldest(sink, loader);
} catch (...) {
  // The caller gives back the text, which the other threads use.
  threads_.clear();
  throw;
}

void BatchReader::end_batch(std::vector<Diagnostic>& found, size_t consumed, const ReadSink& sink,
                            ObjectLoader& loader) {
  filling().found.swap(found);
  filling().consumed = consumed;
  submit(sink, loader);
}

void BatchReader::submit(const ReadSink& sink, ObjectLoader& loader) {
  {
    std::lock_guard lock(mutex_);
    slots_[next_++ % slots_.size()]->state = State::Waiting;
  }
  submitted_.notify_one();
  while (next_ - oldest_ >= slots_.size()) finish_oldest(sink, loader);
}

// Decodes other batches while another thread decodes the oldest one.
void BatchReader::finish_oldest(const ReadSink& sink, ObjectLoader& loader) {
  Slot& oldest = *slots_[oldest_ % slots_.size()];
  while (true) {
    std::unique_lock lock(mutex_);
    if (oldest.state == State::Decoded) break;
    if (Slot* slot = take_waiting()) {
      lock.unlock();
      decode(*slot, pool_);
    } else {
      decoded_.wait(lock, [&] { return oldest.state == State::Decoded; });
    }
  }
  oldest.batch.add_to(loader);
  sink.diagnostics->insert(sink.diagnostics->end(), oldest.batch.found.begin(),
                           oldest.batch.found.end());
  if (oldest.batch.consumed > 0 && sink.consumed) sink.consumed(oldest.batch.consumed);
  oldest.batch.clear();
  std::lock_guard lock(mutex_);
  oldest.state = State::Free;
  ++oldest_;
}

// REQUIRES: the mutex is held.
BatchReader::Slot* BatchReader::take_waiting() {
  for (waiting_ = std::max(waiting_, oldest_); waiting_ < next_;) {
    Slot& slot = *slots_[waiting_++ % slots_.size()];
    if (slot.state != State::Waiting) continue;
    slot.state = State::Decoding;
    return &slot;
  }
  return nullptr;
}

void BatchReader::decode(Slot& slot, SpecPool& pool) {
  slot.batch.decode(file_, number_, pool);
  {
    std::lock_guard lock(mutex_);
    slot.state = State::Decoded;
  }
  decoded_.notify_one();
}

void BatchReader::work(const std::stop_token& stop) {
  SpecPool pool;
  while (true) {
    Slot* slot = nullptr;
    {
      std::unique_lock lock(mutex_);
      if (!submitted_.wait(lock, stop, [&] { return (slot = take_waiting()) != nullptr; })) return;
    }
    decode(*slot, pool);
  }
}

}  // namespace trellis
