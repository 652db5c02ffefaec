#include "server/kube/client/exec_plugin.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "server/document/document.h"
#include "server/document/document_builder.h"
#include "server/document/json_scanner.h"
#include "server/document/json_text.h"
#include "server/document/timestamp.h"
#include "server/system/descriptor.h"
#include "server/text/printable.h"

// The environment that a program inherits.
extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace trellis {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostOutputBytes = size_t{1} << 20;
constexpr size_t kErrorBytesShown = 500;

// The value of KUBERNETES_EXEC_INFO: the request to the program.
std::string exec_info(const ExecCommand& command, const ClusterAccess& access) {
  std::string text = R"({"apiVersion":)";
  append_json_string(text, command.api_version);
  text += R"(,"kind":"ExecCredential","spec":{"interactive":false)";
  if (command.provide_cluster_info) {
    text += R"(,"cluster":{"server":)";
    append_json_string(text, (access.server.tls ? "https://" : "http://") +
                                 access.server.authority() + access.server.prefix);
    if (!access.tls_server_name.empty()) {
      text += R"(,"tls-server-name":)";
      append_json_string(text, access.tls_server_name);
    }
    if (!access.verify) text += R"(,"insecure-skip-tls-verify":true)";
    text += '}';
  }
  return text + "}}";
}

// The strings of an argument vector, and the pointers that the system takes.
struct ArgumentVector {
  explicit ArgumentVector(std::vector<std::string> words) : texts(std::move(words)) {
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }
  std::vector<std::string> texts;
  std::vector<char*> pointers;
};

ArgumentVector arguments_of(const ExecCommand& command) {
  std::vector<std::string> words = {command.command};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  return ArgumentVector(std::move(words));
}

ArgumentVector environment_of(const ExecCommand& command, const ClusterAccess& access) {
  std::vector<std::pair<std::string, std::string>> own = command.environment;
  own.emplace_back("KUBERNETES_EXEC_INFO", exec_info(command, access));
  std::vector<std::string> words;
  for (char** at = environ; *at != nullptr; ++at) {
    std::string_view word = *at;
    bool replaced = false;
    for (const auto& [name, value] : own) replaced = replaced || word.starts_with(name + "=");
    if (!replaced) words.emplace_back(word);
  }
  for (const auto& [name, value] : own) words.push_back(name + "=" + value);
  return ArgumentVector(std::move(words));
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

bool make_pipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe.read = Descriptor(ends[0]);
  pipe.write = Descriptor(ends[1]);
  return true;
}

// -1: the program could not be started; errno has the reason.
pid_t spawn(ArgumentVector& arguments, ArgumentVector& environment, const Pipe& out,
            const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
  // The program starts without the signal mask of this process.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  // A process group of its own, so that the processes that it starts are killed with it.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  int failure = posix_spawnp(&child, arguments.pointers.front(), &actions, &attributes,
                             arguments.pointers.data(), environment.pointers.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure == 0) return child;
  errno = failure;
  return -1;
}

// Reads a piece; false: there will be no more.
bool read_some(int fd, std::string& to) {
  char bytes[4096];
  ssize_t count = ::read(fd, bytes, sizeof bytes);
  if (count > 0 && to.size() < kMostOutputBytes) to.append(bytes, static_cast<size_t>(count));
  return count > 0;
}

// Reads both outputs to their end; false: the time was over first.
bool read_outputs(const Pipe& out, const Pipe& err, Clock::time_point until, std::string& output,
                  std::string& errors) {
  pollfd waited[2] = {{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}};
  std::string* to[2] = {&output, &errors};
  int open = 2;
  while (open > 0) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return false;
    if (::poll(waited, 2, static_cast<int>(left.count())) < 0 && errno != EINTR) return true;
    for (int i = 0; i < 2; ++i) {
      if (waited[i].revents == 0 || read_some(waited[i].fd, *to[i])) continue;
      waited[i].fd = -1;
      --open;
    }
  }
  return true;
}

// Waits until the program ends, and kills it when the time is over. nullopt: it was killed.
std::optional<int> wait_for_end(pid_t child, Clock::time_point until) {
  constexpr std::chrono::milliseconds kLookAgain{5};
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, WNOHANG)) == 0 && Clock::now() < until) {
    std::this_thread::sleep_for(kLookAgain);
  }
  if (ended == child) return status;
  ::kill(-child, SIGKILL);
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return std::nullopt;
}

std::string error_suffix(const std::string& errors) {
  if (errors.empty()) return "";
  return ": " + printable(std::string_view(errors).substr(0, kErrorBytesShown));
}

}  // namespace

Result<ExecCredential> parse_exec_credential(const std::string& text,
                                             const std::string& api_version) {
  JsonScanner scanner(text);
  Document document;
  DocumentBuilder builder(document);
  // The text is not quoted: it is a secret.
  if (!scanner.read_value(builder)) return error("expected an ExecCredential as JSON");
  Value root = document.root();
  if (root["kind"].text() != "ExecCredential") return error("expected kind ExecCredential");
  if (root["apiVersion"].text() != api_version) {
    return error("expected apiVersion " + api_version + ", as it was asked");
  }
  Value status = root["status"];
  ExecCredential credential;
  credential.token = status["token"].text();
  credential.certificate = status["clientCertificateData"].text();
  credential.key = status["clientKeyData"].text();
  if (credential.certificate.empty() != credential.key.empty()) {
    return error("expected both of clientCertificateData and clientKeyData");
  }
  if (credential.token.empty() && credential.key.empty()) {
    return error("expected status.token or status.clientCertificateData");
  }
  if (std::string_view expires = status["expirationTimestamp"].text(); !expires.empty()) {
    auto time = parse_timestamp(expires);
    if (!time) return error("expected a time in status.expirationTimestamp");
    credential.expires = *time;
  }
  return credential;
}

Result<ExecCredential> run_exec_plugin(const ExecCommand& command, const ClusterAccess& access,
                                       std::chrono::milliseconds patience) {
  std::string name = "exec " + command.command;
  Pipe out;
  Pipe err;
  if (!make_pipe(out) || !make_pipe(err)) return error(name + ": " + std::strerror(errno));
  ArgumentVector arguments = arguments_of(command);
  ArgumentVector environment = environment_of(command, access);
  pid_t child = spawn(arguments, environment, out, err);
  if (child < 0) {
    std::string why = name + ": " + std::strerror(errno);
    if (!command.install_hint.empty()) why += "; " + printable(command.install_hint);
    return error(why);
  }
  out.write.close();
  err.write.close();
  std::string output;
  std::string errors;
  Clock::time_point until = Clock::now() + patience;
  bool whole = read_outputs(out, err, until, output, errors);
  std::optional<int> status = wait_for_end(child, until);
  if (!whole || !status) return error(name + ": did not end in time" + error_suffix(errors));
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    return error(name + ": failed" + error_suffix(errors));
  }
  Result<ExecCredential> credential = parse_exec_credential(output, command.api_version);
  if (!credential) return error(name + ": " + credential.error().message);
  return credential;
}

}  // namespace trellis
