#include "server/kube/client/kubeconfig.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "server/document/diagnostic.h"
#include "server/document/document.h"
#include "server/document/yaml_reader.h"

namespace trellis {
namespace {

constexpr size_t kBase64Group = 4;

// nullopt: `text` is not base64.
std::optional<std::string> base64_decoded(std::string_view text) {
  std::string packed;
  for (char c : text) {
    if (c != '\n' && c != '\r' && c != ' ') packed += c;
  }
  if (packed.empty() || packed.size() % kBase64Group != 0) return std::nullopt;
  std::string out(packed.size(), '\0');
  int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                             reinterpret_cast<const unsigned char*>(packed.data()),
                             static_cast<int>(packed.size()));
  if (size < 0) return std::nullopt;
  size_t padding = packed.ends_with("==") ? 2 : packed.ends_with("=") ? 1 : 0;
  out.resize(static_cast<size_t>(size) - padding);
  return out;
}

// Calls `read` with the root of the file's first document. An error: the text is no YAML.
std::optional<Error> with_root(const KubeconfigText& file,
                               const std::function<void(Value root)>& read) {
  std::vector<Diagnostic> diagnostics;
  bool seen = false;
  ReadSink sink{.file = file.file,
                .diagnostics = &diagnostics,
                .document =
                    [&](const Document& document, const ListHead&) {
                      if (!std::exchange(seen, true)) read(document.root());
                    },
                .progress = {}};
  read_yaml(file.text, sink);
  if (diagnostics.empty()) return std::nullopt;
  // Gives the line's number and not its text: a line of this file may contain a secret.
  return Error{file.file + ":" + std::to_string(diagnostics.front().line) +
               ": cannot be read as YAML"};
}

// Reads one context. `error_` keeps the first fault; values that are read after it do not matter.
class KubeconfigReader {
 public:
  explicit KubeconfigReader(std::span<const KubeconfigText> files) : files_(files) {}

  Result<ClusterAccess> run(std::string context) {
    find_current_context(context);
    access_.context = context;
    std::string cluster;
    std::string user;
    with_entry("contexts", context, [&](Value entry) {
      Value chosen = entry["context"];
      if (!chosen.is(ValueKind::Object)) fail(chosen, "expected a context");
      cluster = string(chosen, "cluster");
      user = string(chosen, "user");
      if (cluster.empty()) fail(chosen, "names no cluster");
    });
    with_entry("clusters", cluster, [this](Value entry) { read_cluster(entry["cluster"]); });
    if (!user.empty()) {
      with_entry("users", user, [this](Value entry) { read_user(entry["user"]); });
    }
    if (!error_.empty()) return error(error_);
    return std::move(access_);
  }

 private:
  std::string place(Value at) const {
    return *file_ + (at.exists() ? ":" + std::to_string(at.line()) + ": " + at.path() : "");
  }

  void fail(Value at, const std::string& what) {
    if (error_.empty()) error_ = place(at) + ": " + what;
  }

  // Calls `read` with each file's root, until a fault.
  void each_root(const std::function<void(Value root)>& read) {
    for (const KubeconfigText& file : files_) {
      if (!error_.empty()) return;
      file_ = &file.file;
      if (std::optional<Error> fault = with_root(file, read)) error_ = fault->message;
    }
  }

  void find_current_context(std::string& context) {
    bool empty = true;
    std::string where;
    each_root([&](Value root) {
      empty = false;
      if (where.empty()) where = place(root);
      if (context.empty()) context = string(root, "current-context");
    });
    if (!error_.empty()) return;
    if (empty) {
      error_ = files_[0].file + ": found nothing, expected a kubeconfig";
    } else if (context.empty()) {
      error_ = where + ": no current-context, expected one, or --context";
    }
  }

  // Calls `read` with the first entry of this name.
  void with_entry(std::string_view list, const std::string& name,
                  const std::function<void(Value entry)>& read) {
    std::string known;
    std::string where;  // the first file's list, else its root
    bool listed = false;
    bool found = false;
    each_root([&](Value root) {
      Value entries = root[list];
      if (where.empty() || (!listed && entries.exists())) {
        where = place(entries.exists() ? entries : root);
      }
      listed = listed || entries.exists();
      for (Value item : entries.items()) {
        if (found) return;
        found = item["name"].text() == name;
        if (found) return read(item);
        known += (known.empty() ? "" : ", ") + trellis::in_quotes(item["name"].text());
      }
    });
    if (found || !error_.empty()) return;
    error_ = where + ": has no " + trellis::in_quotes(name) + " among the " + std::string(list) +
             (known.empty() ? "" : ": " + known);
  }

  // Errors never quote the value.
  std::string string(Value parent, std::string_view key) {
    Value value = parent[key];
    if (value.absent()) return "";
    if (!value.is(ValueKind::String)) fail(value, "expected a string in quotes");
    return std::string(value.text());
  }

  bool flag(Value parent, std::string_view key) {
    Value value = parent[key];
    if (!value.absent() && !value.is(ValueKind::Bool)) fail(value, "expected true or false");
    return value.boolean();
  }

  std::vector<std::string> strings(Value parent, std::string_view key) {
    std::vector<std::string> texts;
    for (Value item : parent[key].items()) {
      if (!item.is(ValueKind::String)) fail(item, "expected a string in quotes");
      texts.emplace_back(item.text());
    }
    return texts;
  }

  std::string beside(const std::string& path) const {
    if (path.empty() || path.front() == '/') return path;
    return (std::filesystem::path(*file_).parent_path() / path).string();
  }

  // `KEY-data` contains the text itself and takes precedence over `KEY`, which names a file.
  GivenText given(Value parent, const std::string& key) {
    GivenText given;
    std::string data = string(parent, key + "-data");
    if (!data.empty()) {
      std::optional<std::string> text = base64_decoded(data);
      if (!text) fail(parent[key + "-data"], "expected base64");
      if (text) given.text = std::move(*text);
      return given;
    }
    given.file = beside(string(parent, key));
    if (given.file.empty()) return given;
    if (Result<std::string> text = given.read(); !text) {
      fail(parent[key], text.error().message);
    }
    return given;
  }

  void read_cluster(Value cluster) {
    Result<ServerAddress> server = parse_server_address(string(cluster, "server"));
    if (!server)
      return fail(cluster["server"].exists() ? cluster["server"] : cluster, server.error().message);
    access_.server = std::move(*server);
    if (!access_.server.user.empty()) {
      return fail(cluster["server"], "holds a user, expected it among the users");
    }
    access_.authority = given(cluster, "certificate-authority");
    access_.tls_server_name = string(cluster, "tls-server-name");
    access_.verify = !flag(cluster, "insecure-skip-tls-verify");
    if (!access_.verify && access_.authority.given()) {
      return fail(cluster["insecure-skip-tls-verify"],
                  "stands beside a certificate-authority, expected one of them");
    }
    std::string proxy = string(cluster, "proxy-url");
    if (!proxy.empty()) read_proxy(cluster["proxy-url"], proxy);
  }

  void read_proxy(Value at, const std::string& url) {
    Result<ServerAddress> proxy = parse_server_address(url);
    if (!proxy || proxy->tls) {
      return fail(at, "expected the URL of a proxy such as \"http://10.0.0.1:3128\"");
    }
    if (!access_.tls_server_name.empty()) {
      return fail(at, "stands beside tls-server-name: together they are not supported");
    }
    access_.proxy = std::move(*proxy);
  }

  void read_user(Value user) {
    UserAccess& to = access_.user;
    if (user["auth-provider"].exists()) {
      return fail(user["auth-provider"], "is no longer supported, expected exec");
    }
    to.token.text = string(user, "token");
    // As in kubectl, the file takes precedence.
    if (std::string file = beside(string(user, "tokenFile")); !file.empty()) {
      to.token = {"", file};
      if (Result<std::string> text = to.token.read(); !text) {
        return fail(user["tokenFile"], text.error().message);
      }
    }
    to.certificate = given(user, "client-certificate");
    to.key = given(user, "client-key");
    if (to.certificate.given() != to.key.given()) {
      return fail(user, "holds one of client-certificate and client-key, expected both");
    }
    to.user = string(user, "username");
    to.password = string(user, "password");
    to.impersonate = string(user, "as");
    to.impersonate_groups = strings(user, "as-groups");
    if (user["exec"].exists()) read_exec(user["exec"]);
  }

  void read_exec(Value exec) {
    ExecCommand command;
    command.api_version = string(exec, "apiVersion");
    command.command = string(exec, "command");
    command.arguments = strings(exec, "args");
    command.install_hint = string(exec, "installHint");
    command.provide_cluster_info = flag(exec, "provideClusterInfo");
    for (Value pair : exec["env"].items()) {
      command.environment.emplace_back(string(pair, "name"), string(pair, "value"));
    }
    bool known = command.api_version == "client.authentication.k8s.io/v1" ||
                 command.api_version == "client.authentication.k8s.io/v1beta1";
    if (!known) {
      return fail(exec["apiVersion"].exists() ? exec["apiVersion"] : exec,
                  "expected apiVersion client.authentication.k8s.io/v1 or v1beta1");
    }
    if (command.command.empty()) return fail(exec, "names no command");
    if (string(exec, "interactiveMode") == "Always") {
      return fail(exec["interactiveMode"], "a service cannot ask a user");
    }
    // A bare name is looked for in the PATH.
    if (command.command.find('/') != std::string::npos) command.command = beside(command.command);
    access_.user.exec = std::move(command);
  }

  std::span<const KubeconfigText> files_;
  const std::string* file_ = nullptr;  // the one that is being read
  ClusterAccess access_;
  std::string error_;
};

}  // namespace

std::vector<std::string> kubeconfig_paths(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    std::string path(list.substr(0, list.find(':')));
    list.remove_prefix(std::min(list.size(), path.size() + 1));
    bool known = std::ranges::find(paths, path) != paths.end();
    if (!path.empty() && !known) paths.push_back(std::move(path));
  }
  return paths;
}

Result<ClusterAccess> parse_kubeconfig(std::span<const KubeconfigText> files,
                                       const std::string& context) {
  return KubeconfigReader(files).run(context);
}

Result<ClusterAccess> read_kubeconfigs(std::span<const std::string> paths,
                                       const std::string& context) {
  if (paths.empty()) return error("no kubeconfig is named");
  std::vector<KubeconfigText> texts;
  std::string missing;
  for (const std::string& path : paths) {
    Result<std::string> text = GivenText{"", path}.read();
    std::error_code fault;
    if (!text && std::filesystem::exists(path, fault)) return error(text.error().message);
    if (!text && missing.empty()) missing = text.error().message;
    if (text) texts.push_back({path, std::move(*text)});
  }
  if (texts.empty()) {
    if (paths.size() == 1) return error(missing);
    std::string all;
    for (const std::string& path : paths) all += (all.empty() ? "" : ":") + path;
    return error("found none of the kubeconfigs " + all);
  }
  return parse_kubeconfig(texts, context);
}

}  // namespace trellis
