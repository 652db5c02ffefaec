// The API server's answer to a request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

// Statuses of HTTP as the API server means them.
inline constexpr int kUnauthorized = 401;  // it does not know us
inline constexpr int kForbidden = 403;     // it knows us
inline constexpr int kNotFound = 404;
inline constexpr int kConflict = 409;       // something else was written meanwhile
inline constexpr int kUnprocessable = 422;  // it would never be taken
inline constexpr int kTooManyRequests = 429;
inline constexpr int kServerError = 500;  // the first of them
inline constexpr int kUnavailable = 503;

struct ApiAnswer {
  int status = 0;              // of HTTP; 0: there was no answer
  std::string body;            // of a watch only where the status is not 200
  std::string failure;         // why there was none, or why it broke off; empty: it came to its end
  int64_t retry_after_ms = 0;  // that the server asks for; 0: it does not say

  bool whole() const { return failure.empty(); }
  bool ok() const { return status == 200 && whole(); }
  // Of a write, too: created, or taken up.
  bool accepted() const { return status >= 200 && status < 300; }
};

// What a Retry-After header asks for, up to a minute; a date, or nonsense: nothing.
int64_t retry_after_ms(std::string_view header);

// In a few words, for the log: the status with the server's own message, or the failure.
std::string describe(const ApiAnswer& answer);

}  // namespace trellis
