#include "server/kube/client/api_client.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <netdb.h>
#include <openssl/ssl.h>

#include <chrono>
#include <map>
#include <utility>

#include "server/kube/client/tls.h"
#include "server/version.h"

namespace trellis {
namespace {

constexpr size_t kMostErrorBytes = size_t{1} << 20;

// A numeric address of a name. The library needs it where it must not resolve the name itself.
std::string resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return "";
  char text[NI_MAXHOST] = "";
  ::getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  ::freeaddrinfo(found);
  return text;
}

std::string why(httplib::Error failure, const httplib::ClientImpl& client) {
  switch (failure) {
    case httplib::Error::Connection:
      return "no connection";
    case httplib::Error::Read:
      return "the connection broke off, or was silent for too long";
    case httplib::Error::SSLConnection:
      return "no TLS connection";
    case httplib::Error::SSLServerVerification: {
      const auto* secure = dynamic_cast<const httplib::SSLClient*>(&client);
      long code = secure == nullptr ? X509_V_OK : secure->get_openssl_verify_result();
      return "the server's certificate is not to be trusted: " +
             std::string(code == X509_V_OK || is_other_name(code)
                             ? "it is for another name"
                             : X509_verify_cert_error_string(code));
    }
    default:
      return "the request failed: " + httplib::to_string(failure);
  }
}

httplib::Headers headers_of(const ClusterAccess& access, const Credentials::Current& current) {
  httplib::Headers headers = {{"Host", access.server.authority()},
                              {"Accept", "application/json"},
                              {"User-Agent", "trellis/" + std::string(kVersion)}};
  if (!current.token.empty()) headers.emplace("Authorization", "Bearer " + current.token);
  if (current.token.empty() && !access.user.user.empty()) {
    headers.insert(
        httplib::make_basic_authentication_header(access.user.user, access.user.password));
  }
  if (!access.user.impersonate.empty()) {
    headers.emplace("Impersonate-User", access.user.impersonate);
    for (const std::string& group : access.user.impersonate_groups) {
      headers.emplace("Impersonate-Group", group);
    }
  }
  return headers;
}

// The fault, with the file that contains it.
std::string named(const GivenText& given, const Error& fault) {
  return given.file.empty() ? fault.message : given.file + ": " + fault.message;
}

}  // namespace

ApiClient::ApiClient(std::shared_ptr<Credentials> credentials)
    : credentials_(std::move(credentials)) {}

ApiClient::~ApiClient() = default;

// Configures TLS with the certificates. Returns the fault that prevents this; empty: none.
std::string ApiClient::secure(httplib::SSLClient& client,
                              const Credentials::Current& current) const {
  client.enable_server_certificate_verification(credentials_->access().verify);
  if (!current.authority.empty()) {
    Result<CertificateStorePtr> store = parse_authority(current.authority);
    if (!store) return named(credentials_->access().authority, store.error());
    // Without an explicit path the library would add all authorities that the system trusts.
    client.set_ca_cert_path("", "/dev/null");
    client.set_ca_cert_store(store->release());
  }
  if (current.certificate.empty()) return "";
  Result<ClientCertificate> own = parse_client_certificate(current.certificate, current.key);
  if (!own) return named(credentials_->access().user.certificate, own.error());
  SSL_CTX* context = client.ssl_context();
  SSL_CTX_use_certificate(context, own->leaf.get());
  SSL_CTX_use_PrivateKey(context, own->key.get());
  for (const CertificatePtr& link : own->chain) SSL_CTX_add1_chain_cert(context, link.get());
  return "";
}

Result<std::unique_ptr<httplib::ClientImpl>> ApiClient::connect(
    const Credentials::Current& current) const {
  const ClusterAccess& access = credentials_->access();
  const ServerAddress& server = access.server;
  std::unique_ptr<httplib::ClientImpl> client;
  if (server.tls) {
    const std::string& name = access.tls_server_name.empty() ? server.host : access.tls_server_name;
    auto secured = std::make_unique<httplib::SSLClient>(name, server.port);
    if (std::string wrong = secure(*secured, current); !wrong.empty()) return error(wrong);
    if (access.verify) require_server_name(secured->ssl_context(), name);
    if (name != server.host) {
      std::string address = resolve(server.host);
      if (address.empty()) return error("no address of " + server.host);
      secured->set_hostname_addr_map({{name, address}});
    }
    client = std::move(secured);
  } else {
    client = std::make_unique<httplib::ClientImpl>(server.host, server.port);
  }
  client->set_keep_alive(true);
  client->set_tcp_nodelay(true);
  client->set_follow_location(false);
  client->set_url_encode(false);
  client->set_connection_timeout(std::chrono::milliseconds(kConnectTimeoutMs));
  if (access.proxy) {
    client->set_proxy(access.proxy->host, access.proxy->port);
    if (!access.proxy->user.empty()) {
      client->set_proxy_basic_auth(access.proxy->user, access.proxy->password);
    }
  }
  return client;
}

// Makes client_ use the current credentials. Returns the fault that prevents this; empty: none.
std::string ApiClient::prepare(Credentials::Current& current) {
  Result<Credentials::Current> fresh = credentials_->current();
  if (!fresh) return fresh.error().message;
  current = std::move(*fresh);
  if (client_ && generation_ == current.generation) return "";
  auto client = connect(current);
  if (!client) return client.error().message;
  std::lock_guard lock(mutex_);
  client_ = std::move(*client);
  generation_ = current.generation;
  return "";
}

ApiAnswer ApiClient::ask_once(const ApiRequest& request, int64_t timeout_ms, const Bytes& bytes,
                              Credentials::Current& current) {
  ApiAnswer answer;
  answer.failure = prepare(current);
  if (!answer.failure.empty()) return answer;
  const ClusterAccess& access = credentials_->access();
  client_->set_read_timeout(std::chrono::milliseconds(timeout_ms));
  httplib::Request sent;
  sent.method = request.method;
  sent.path = access.server.prefix + request.target;
  sent.headers = headers_of(access, current);
  if (!request.body.empty()) {
    sent.headers.emplace("Content-Type", std::string(request.content_type));
    sent.body = request.body;
  }
  bool stopped = false;
  sent.response_handler = [&](const httplib::Response& response) {
    answer.status = response.status;
    answer.retry_after_ms = retry_after_ms(response.get_header_value("Retry-After"));
    return true;
  };
  sent.content_receiver = [&](const char* data, size_t size, uint64_t, uint64_t) {
    std::string_view piece(data, size);
    if (answer.accepted()) {
      stopped = !bytes(piece);
      return !stopped;
    }
    answer.body.append(piece.substr(0, kMostErrorBytes - answer.body.size()));
    return answer.body.size() < kMostErrorBytes;
  };
  httplib::Result result = client_->send(sent);
  if (result || stopped) return answer;
  answer.failure = why(result.error(), *client_);
  // The next request resolves the server's address again, as the server may have moved.
  if (answer.status == 0) disconnect();
  return answer;
}

void ApiClient::disconnect() {
  std::lock_guard lock(mutex_);
  client_.reset();
}

ApiAnswer ApiClient::ask(const ApiRequest& request, int64_t timeout_ms, const Bytes& bytes) {
  Credentials::Current current;
  ApiAnswer answer = ask_once(request, timeout_ms, bytes, current);
  if (answer.status != kUnauthorized) return answer;
  credentials_->refused(current.token);
  return ask_once(request, timeout_ms, bytes, current);
}

ApiAnswer ApiClient::send(const ApiRequest& request, int64_t timeout_ms) {
  std::string body;
  bool too_long = false;
  ApiAnswer answer = ask(request, timeout_ms, [&](std::string_view bytes) {
    too_long = body.size() + bytes.size() > kMostBodyBytes;
    if (!too_long) body += bytes;
    return !too_long;
  });
  if (too_long) answer.failure = "the answer is too long";
  if (answer.accepted()) answer.body = std::move(body);
  return answer;
}

ApiAnswer ApiClient::get(const std::string& target, int64_t timeout_ms) {
  return send({.target = target}, timeout_ms);
}

ApiAnswer ApiClient::stream(const std::string& target, int64_t timeout_ms, const Bytes& bytes) {
  return ask({.target = target}, timeout_ms, bytes);
}

void ApiClient::cancel() {
  std::lock_guard lock(mutex_);
  if (client_) client_->stop();
}

}  // namespace trellis
