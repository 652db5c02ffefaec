#include "server/kube/client/credentials.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/kube/client/exec_plugin.h"
#include "server/kube/client/tls.h"

namespace trellis {
namespace {

constexpr std::chrono::seconds kPluginPatience{30};

// Token files end with a newline.
std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

// The token becomes the value of a header.
bool is_one_word(const std::string& token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

bool same_certificates(const Credentials::Current& a, const Credentials::Current& b) {
  return a.certificate == b.certificate && a.key == b.key;
}

}  // namespace

// A file that is being replaced may be gone or empty for a moment: its former text is still valid.
std::optional<Error> Credentials::take(const GivenText& given, std::string& to) {
  if (!given.given()) return std::nullopt;
  Result<std::string> text = given.read();
  if (text && &given == &access_.user.token) {
    *text = trimmed(std::move(*text));
    if (!is_one_word(*text)) {
      std::string name = given.file.empty() ? "token" : given.file;
      text = error(name + ": found blanks or several lines, expected a token");
    }
  }
  if (text) {
    to = std::move(*text);
    return std::nullopt;
  }
  if (to.empty()) return text.error();
  faults_ += (faults_.empty() ? "" : "; ") + text.error().message;
  return std::nullopt;
}

// Files that are replaced one by one do not match each other for a moment.
void Credentials::keep_certificates_that_work(Current& fresh) {
  if (!current_) return;
  auto keep = [this](const std::string& file, const Error& fault) {
    faults_ += (faults_.empty() ? "" : "; ") + file + ": " + fault.message;
  };
  if (fresh.authority != current_->authority) {
    auto parsed = parse_authority(fresh.authority);
    if (!parsed && parse_authority(current_->authority)) {
      keep(access_.authority.file, parsed.error());
      fresh.authority = current_->authority;
    }
  }
  if (!same_certificates(fresh, *current_)) {
    auto parsed = parse_client_certificate(fresh.certificate, fresh.key);
    if (!parsed && parse_client_certificate(current_->certificate, current_->key)) {
      keep(access_.user.certificate.file + ", " + access_.user.key.file, parsed.error());
      fresh.certificate = current_->certificate;
      fresh.key = current_->key;
    }
  }
}

void Credentials::report_faults() {
  if (faults_ != reported_faults_ && !faults_.empty() && complain_) {
    complain_(faults_ + "; what was read before stays in force");
  }
  reported_faults_ = std::exchange(faults_, "");
}

std::optional<Error> Credentials::run_plugin(Current& fresh) {
  if (expires_ && now_() < *expires_ - kLeewayUs) return std::nullopt;
  auto credential = run_exec_plugin(*access_.user.exec, access_, kPluginPatience);
  if (!credential) return credential.error();
  fresh.token = std::move(credential->token);
  if (!credential->key.empty()) {
    fresh.certificate = std::move(credential->certificate);
    fresh.key = std::move(credential->key);
  }
  // A credential without an expiration is used until the server refuses it.
  expires_ = credential->expires == kNoTime ? INT64_MAX : credential->expires;
  return std::nullopt;
}

std::optional<Error> Credentials::read_sources(Current& fresh) {
  const UserAccess& user = access_.user;
  if (auto failure = take(access_.authority, fresh.authority)) return failure;
  if (auto failure = take(user.certificate, fresh.certificate)) return failure;
  if (auto failure = take(user.key, fresh.key)) return failure;
  keep_certificates_that_work(fresh);
  if (user.exec && !user.token.given()) return run_plugin(fresh);
  return take(user.token, fresh.token);
}

Result<Credentials::Current> Credentials::current() {
  std::lock_guard lock(mutex_);
  TimeUs now = now_();
  // If the clock was set back, they are read again; otherwise they would be used for too long.
  if (current_ && now >= read_at_ && now < good_until_) return *current_;
  Current fresh = current_.value_or(Current());
  std::optional<Error> failure = read_sources(fresh);
  report_faults();
  if (failure) return tl::unexpected<Error>(std::move(*failure));
  bool same =
      current_ && same_certificates(fresh, *current_) && fresh.authority == current_->authority;
  if (!same) ++fresh.generation;
  read_at_ = now;
  good_until_ = now + kReadAgainUs;
  if (expires_) good_until_ = std::min(good_until_, *expires_ - kLeewayUs);
  current_ = std::move(fresh);
  return *current_;
}

void Credentials::refused(const std::string& token) {
  std::lock_guard lock(mutex_);
  // Another thread may have read the credentials again already.
  if (!current_ || current_->token != token) return;
  good_until_ = 0;
  expires_.reset();
}

}  // namespace trellis
