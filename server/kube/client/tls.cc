#include "server/kube/client/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <utility>

namespace trellis {
namespace {

using BioPtr = std::unique_ptr<BIO, TlsFree<BIO_free>>;

BioPtr reader_of(const std::string& pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// Refuses an encrypted key, so that OpenSSL does not ask for its password on the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return -1; }

std::vector<CertificatePtr> parse_certificates(const std::string& pem) {
  std::vector<CertificatePtr> certificates;
  BioPtr bio = reader_of(pem);
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr)) {
    certificates.emplace_back(next);
  }
  ERR_clear_error();
  return certificates;
}

}  // namespace

Result<ClientCertificate> parse_client_certificate(const std::string& certificate,
                                                   const std::string& key) {
  ClientCertificate parsed;
  parsed.chain = parse_certificates(certificate);
  if (parsed.chain.empty()) return error("client certificate: expected PEM");
  parsed.leaf = std::move(parsed.chain.front());
  parsed.chain.erase(parsed.chain.begin());
  BioPtr bio = reader_of(key);
  parsed.key.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (!parsed.key) return error("client key: expected PEM without a password");
  bool fits = X509_check_private_key(parsed.leaf.get(), parsed.key.get()) == 1;
  ERR_clear_error();
  if (!fits) return error("client key: it is not the key of the client certificate");
  return parsed;
}

Result<CertificateStorePtr> parse_authority(const std::string& pem) {
  std::vector<CertificatePtr> certificates = parse_certificates(pem);
  if (certificates.empty()) return error("certificate authority: expected PEM");
  CertificateStorePtr store(X509_STORE_new());
  for (const CertificatePtr& certificate : certificates) {
    X509_STORE_add_cert(store.get(), certificate.get());
  }
  ERR_clear_error();
  return store;
}

void require_server_name(SSL_CTX* context, const std::string& name) {
  X509_VERIFY_PARAM* wanted = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(
      wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1) return;
  ERR_clear_error();
  X509_VERIFY_PARAM_set1_host(wanted, name.c_str(), name.size());
}

bool is_other_name(long verify_result) {
  return verify_result == X509_V_ERR_HOSTNAME_MISMATCH ||
         verify_result == X509_V_ERR_IP_ADDRESS_MISMATCH;
}

}  // namespace trellis
