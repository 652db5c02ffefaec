// A request to the API server, and the answer to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

// The content types of a request's body.
inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
inline constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";

struct ApiRequest {
  std::string method = "GET";
  std::string target;                     // path and query
  std::string body;                       // empty: none
  std::string_view content_type = kJson;  // of the body
};

// HTTP statuses, as the API server uses them.
inline constexpr int kUnauthorized = 401;  // the credentials are not accepted
inline constexpr int kForbidden = 403;     // they are accepted, but do not permit this
inline constexpr int kNotFound = 404;
inline constexpr int kConflict = 409;       // another write came first
inline constexpr int kUnprocessable = 422;  // it would be refused every time
inline constexpr int kTooManyRequests = 429;
inline constexpr int kServerError = 500;  // the first of the server's errors
inline constexpr int kUnavailable = 503;

struct ApiAnswer {
  int status = 0;              // of HTTP; 0: there was no answer
  std::string body;            // of a watch only where the status is not 200
  std::string failure;         // why there is no answer, or why it broke off; empty: it is complete
  int64_t retry_after_ms = 0;  // that the server requests; 0: none

  bool whole() const { return failure.empty(); }
  bool ok() const { return status == 200 && whole(); }
  // Also for writes: created (201), or accepted (202).
  bool accepted() const { return status >= 200 && status < 300; }
  // Of writes: whether it leaves open if the write was carried out, or still will be.
  bool says_nothing() const {
    return status == 0 || (status >= kServerError && status != kUnavailable);
  }
};

// The wait that a Retry-After header requests, at most a minute; 0 for a date or an invalid value.
int64_t retry_after_ms(std::string_view header);

// In a few words, for the log: the status with the server's own message, or the failure.
std::string describe(const ApiAnswer& answer);

}  // namespace trellis
