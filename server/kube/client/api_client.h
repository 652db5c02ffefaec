// A connection to the API server: it serves one request at a time and is kept open between
// requests. Nothing else in server/kube uses the network.
//
// Guarantees: requests are only sent to a server whose certificate is valid, unless the kubeconfig
// itself specifies otherwise; where authorities are given, only these are trusted. Redirections are
// not followed. No message contains a token, a password or a key.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

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

  // `target`: path and query. After `timeout_ms` without a byte the server is considered dead. A
  // request that is refused with 401 is tried once more, with the credentials of that moment.
  ApiAnswer send(const ApiRequest& request, int64_t timeout_ms);
  ApiAnswer get(const std::string& target, int64_t timeout_ms);
  // Passes the bytes of a body to `bytes` as they arrive, until `bytes` returns false.
  using Bytes = std::function<bool(std::string_view bytes)>;
  ApiAnswer stream(const std::string& target, int64_t timeout_ms, const Bytes& bytes);

  // From any thread: the current request ends soon, as a failure.
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
  std::mutex mutex_;  // guards client_ itself, for cancel()
  std::shared_ptr<httplib::ClientImpl> client_;
  int64_t generation_ = 0;  // of the credentials that client_ was made with
};

// Waits until the thread that uses `client` has `ended`, which `lock` guards and `woken` signals.
// Its requests are cancelled again and again: one may begin just after each cancel().
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
