// A connection to the API server: one request at a time, kept alive between them. The only place
// that uses the network.
//
// Guarantees: a server is only spoken to when its certificate is good, unless the kubeconfig itself
// says otherwise; only the given authorities are believed where any are given. Redirections are not
// followed. No message holds a token, a password or a key.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/kube/client/api_answer.h"
#include "server/kube/client/api_request.h"
#include "server/kube/client/credentials.h"

namespace httplib {
class ClientImpl;
class SSLClient;
}  // namespace httplib

namespace trellis {

class ApiClient {
 public:
  static constexpr int64_t kConnectTimeoutMs = 5000;
  // A list of a million pods would come in pages.
  static constexpr size_t kMostBodyBytes = size_t{1} << 30;

  explicit ApiClient(std::shared_ptr<Credentials> credentials);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // `target`: path and query. So long without a byte, and the peer is taken for dead. A refusal of
  // what we say we are (401) is tried once more with what we are by then.
  ApiAnswer send(const ApiRequest& request, int64_t timeout_ms);
  ApiAnswer get(const std::string& target, int64_t timeout_ms);
  // Hands over the bytes of a body as they come, until `bytes` says false.
  using Bytes = std::function<bool(std::string_view bytes)>;
  ApiAnswer stream(const std::string& target, int64_t timeout_ms, const Bytes& bytes);

  // From any thread: what is asked just now ends soon, as a failure.
  void cancel();

 private:
  void disconnect();
  std::string prepare(Credentials::Current& current);
  ApiAnswer ask(const ApiRequest& request, int64_t timeout_ms, const Bytes& bytes);
  ApiAnswer ask_once(const ApiRequest& request, int64_t timeout_ms, const Bytes& bytes,
                     Credentials::Current& current);
  Result<std::unique_ptr<httplib::ClientImpl>> connect(const Credentials::Current& current) const;
  std::string secure(httplib::SSLClient& client, const Credentials::Current& current) const;

  std::shared_ptr<Credentials> credentials_;
  std::mutex mutex_;  // of client_ itself, for cancel()
  std::shared_ptr<httplib::ClientImpl> client_;
  int64_t generation_ = 0;  // of the credentials that client_ was made with
};

// Waits until the thread that asks by `client` has `ended`, which `lock` guards and `woken`
// signals. It is cut off again and again: a request may begin just behind each time.
template <class Ended>
void cancel_until(Ended ended, ApiClient& client, std::unique_lock<std::mutex>& lock,
                  std::condition_variable_any& woken) {
  constexpr std::chrono::milliseconds again{20};
  while (!woken.wait_for(lock, again, ended)) {
    lock.unlock();
    client.cancel();
    lock.lock();
  }
}

}  // namespace trellis
