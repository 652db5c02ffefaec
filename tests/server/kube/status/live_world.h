// A cluster of texts that takes what is written to it, as an API server would: cycles run on it as
// those of a service do, and a StatusBook writes back to it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/document/json_objects.h"
#include "server/kube/status/status_book.h"
#include "server/kube/watch/live_objects.h"
#include "server/serve/cycle_runner.h"
#include "server/serve/observer.h"

namespace trellis::test {

class LiveWorld : public LiveObjects {
 public:
  explicit LiveWorld(const Config& config = Config());
  ~LiveWorld() override;

  // As YAML, several documents at once. Objects that stand already are replaced.
  void put(const std::string& yaml);
  void edit(const std::string& kind, const std::string& name, const std::function<void(Json&)>& by);
  void remove(const std::string& kind, const std::string& name);
  bool has(const std::string& kind, const std::string& name) const;
  Json object(const std::string& kind, const std::string& name) const;

  // A cycle, after what was decided before is assumed.
  void cycle();
  void pass(TimeUs time) { now_ += time; }
  TimeUs now() const { return now_; }

  // What `book` writes now of the last cycle, each "METHOD TARGET": it is taken as the server takes
  // it, unless `answer` says something else.
  using Answer = std::function<int(const ApiRequest& request)>;
  std::vector<std::string> write(StatusBook& book, const Answer& answer = {});
  // The same without another look at the cycle.
  std::vector<std::string> send(StatusBook& book, const Answer& answer = {});
  // The last cycle, as it is looked at, and what was touched since that was taken.
  void ask(const std::function<void(const StatusView& view, TouchedSince& touched)>& question);
  // What the server says to a request, and does.
  int take(const ApiRequest& request);
  // "REASON KIND/NAME: NOTE" of each event that `book` sends now.
  std::vector<std::string> events(StatusBook& book);

  std::optional<LiveObject> find(std::string_view group, std::string_view kind,
                                 std::string_view name_space, std::string_view name) const override;
  std::string collection(std::string_view group, std::string_view kind,
                         std::string_view name_space) const override;
  Named list(std::string_view group, std::string_view kind) const override;

 private:
  class Source;
  enum class Looking : uint8_t { Yes, No };
  std::vector<std::string> run(StatusBook& book, const Answer& answer, Looking looking);
  void store(Json object);

  TimeUs now_ = 1'800'000'000 * kSecondUs;
  int64_t version_ = 0;
  std::map<std::string, Json> objects_;  // by path
  std::unique_ptr<CycleRunner> runner_;
  std::unique_ptr<Observer> observer_;
  const StatusBook* looked_ = nullptr;  // the last book that looked
};

}  // namespace trellis::test
