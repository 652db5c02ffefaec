// Certificates for OpenSSL, from PEM that is in memory.
#pragma once

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

#include "framework/result.h"

namespace trellis {

template <auto Free>
struct TlsFree {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using CertificatePtr = std::unique_ptr<X509, TlsFree<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, TlsFree<EVP_PKEY_free>>;
using CertificateStorePtr = std::unique_ptr<X509_STORE, TlsFree<X509_STORE_free>>;

struct ClientCertificate {
  CertificatePtr leaf;
  std::vector<CertificatePtr> chain;  // behind the leaf
  KeyPtr key;
};

// Error messages never contain a key.
Result<ClientCertificate> parse_client_certificate(const std::string& certificate,
                                                   const std::string& key);
// The authorities that may sign a server's certificate.
Result<CertificateStorePtr> parse_authority(const std::string& pem);

// Requires that the subjectAltName of the server's certificate contains this name or address. As in
// kubectl, the common name is ignored. A mismatch is the connection's verification result.
void require_server_name(SSL_CTX* context, const std::string& name);
// Whether a verification result reports such a mismatch.
bool is_other_name(long verify_result);

}  // namespace trellis
