#include "server/kube/credentials.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/kube/exec_plugin.h"

namespace trellis {
namespace {

constexpr std::chrono::seconds kPluginPatience{30};

// Tokens are written with a newline behind them.
std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

// A file that is being replaced may be gone or empty for a moment: the text before is still good.
std::optional<Error> take(const GivenText& given, std::string& to) {
  if (!given.given()) return std::nullopt;
  Result<std::string> text = given.read();
  bool whole = text && !text->empty();
  if (whole) to = std::move(*text);
  if (text || !to.empty()) return std::nullopt;
  return text.error();
}

}  // namespace

std::optional<Error> Credentials::run_plugin(Current& told) {
  if (expires_ && now_() < *expires_ - kLeewayUs) return std::nullopt;
  auto credential = run_exec_plugin(*access_.user.exec, access_, kPluginPatience);
  if (!credential) return credential.error();
  told.token = std::move(credential->token);
  if (!credential->key.empty()) {
    told.certificate = std::move(credential->certificate);
    told.key = std::move(credential->key);
  }
  // Without an end it is good until it is refused.
  expires_ = credential->expires == kNoTime ? INT64_MAX : credential->expires;
  return std::nullopt;
}

std::optional<Error> Credentials::tell(Current& told) {
  const UserAccess& user = access_.user;
  if (auto failure = take(access_.authority, told.authority)) return failure;
  if (auto failure = take(user.certificate, told.certificate)) return failure;
  if (auto failure = take(user.key, told.key)) return failure;
  if (user.exec && !user.token.given()) return run_plugin(told);
  if (auto failure = take(user.token, told.token)) return failure;
  told.token = trimmed(std::move(told.token));
  return std::nullopt;
}

Result<Credentials::Current> Credentials::current() {
  std::lock_guard lock(mutex_);
  TimeUs now = now_();
  // A clock that was set back would have them grow old.
  if (current_ && now >= told_at_ && now < good_until_) return *current_;
  Current told = current_.value_or(Current());
  if (auto failure = tell(told)) return tl::unexpected<Error>(std::move(*failure));
  bool same = current_ && told.certificate == current_->certificate && told.key == current_->key &&
              told.authority == current_->authority;
  if (!same) ++told.generation;
  told_at_ = now;
  good_until_ = now + kReadAgainUs;
  if (expires_) good_until_ = std::min(good_until_, *expires_ - kLeewayUs);
  current_ = std::move(told);
  return *current_;
}

void Credentials::refused(const std::string& token) {
  std::lock_guard lock(mutex_);
  // Somebody else may have had them told anew already.
  if (!current_ || current_->token != token) return;
  good_until_ = 0;
  expires_.reset();
}

}  // namespace trellis
