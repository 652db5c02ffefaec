// Keeps a store equal to the objects of one kind in an API server: lists them, then watches them. A
// pure state machine: it returns the next request, takes the answer, and never waits itself, so
// that its driver may use a network or virtual time.
//
//   Empty -> Listing (page after page) -> Listed(version) -> Watching -> Listed(newer version)
//     ^                                                          |
//     +---- the version is too old (410), or an event was lost --+
//
// Guarantees: a list is collected apart and swapped into the store when it is complete, so that no
// reader sees half a list, and objects whose deletion was missed are removed. Lists are consistent
// reads: the store never goes back in time. A watch begins at the version of the list, and goes on
// at that of the last event. A watch that ends is resumed there; one that breaks, too, after a
// wait. An object that cannot be read is counted, reported and left out, and never ends a watch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "server/kube/client/api_request.h"
#include "server/kube/client/backoff.h"
#include "server/kube/watch/api_objects.h"
#include "server/kube/watch/object_store.h"
#include "server/text/stored_text.h"

namespace trellis {

// Counts since the reflector began.
struct ReflectorFigures {
  int64_t events = 0;    // of watches: objects that were added, changed or deleted
  int64_t lists = 0;     // that were complete
  int64_t watches = 0;   // that were begun
  int64_t failures = 0;  // of lists and watches, for any reason
  int64_t broken = 0;    // objects that could not be read
};

class Reflector {
 public:
  // A watch that receives nothing until so long after its time is over has lost its peer.
  static constexpr int64_t kMarginMs = 15'000;
  static constexpr int64_t kLeastWatchS = 300;
  static constexpr int64_t kMostWatchS = 600;
  static constexpr int64_t kPageObjects = 500;
  static constexpr int64_t kListTimeoutMs = 60'000;
  // A watch that fails so often in a row, though the server answers, starts again with a list.
  static constexpr int kMostRefusals = 5;

  struct Options {
    std::string path;  // of the resource, "/api/v1/pods"
    ApiKind kind;
    uint64_t seed = 0;  // for random waits and watch times
    // Called with what went wrong, and with an object that could not be read.
    std::function<void(const std::string& what)> failed;
    std::function<void(const std::string& what)> broken;
  };
  Reflector(Options options, ObjectStore& store)
      : options_(std::move(options)), store_(store), backoff_(options_.seed) {}

  struct Step {
    enum class Do : uint8_t { Wait, List, Watch };
    Do what = Do::Wait;
    int64_t until_ms = 0;    // of Wait
    std::string target;      // of List and Watch: path and query
    int64_t timeout_ms = 0;  // of List and Watch: the peer is dead after so long without a byte
  };
  // Pass a List's answer to `listed`; of a Watch each line to `take_line`, then its end to `ended`.
  Step next(int64_t now_ms);

  void listed(int64_t now_ms, const ApiAnswer& answer);
  // False: the watch must be ended.
  bool take_line(const std::string& line);
  // Part of the watch could not be taken. Call `ended` next; then the reflector lists again.
  void lose(std::string what);
  void ended(int64_t now_ms, const ApiAnswer& answer);

  const ReflectorFigures& figures() const { return figures_; }

 private:
  void take_event(WatchEvent& event);
  void take_error(const ApiStatus& status);
  void fail(int64_t now_ms, const std::string& what, int64_t at_least_ms);
  void list_again();
  void note_broken(int64_t count, const std::string& example);

  Options options_;
  ObjectStore& store_;
  Backoff backoff_;
  ReflectorFigures figures_;

  std::string version_;  // of the store; empty: list
  std::string next_;     // of the list that is being read; empty: its first page
  ObjectStore::Objects listing_;
  TextPacker packer_;
  int64_t not_before_ms_ = 0;

  // Of the watch that runs, or of the last one.
  int64_t began_ms_ = 0;
  bool got_event_ = false;    // an event or a bookmark came
  std::string stream_error_;  // an error that came as an event, or a line that is no event
  int refusals_ = 0;          // in a row, by a server that answers
};

}  // namespace trellis
