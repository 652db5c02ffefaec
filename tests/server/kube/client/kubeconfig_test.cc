#include "server/kube/client/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "server/kube/client/cluster_access.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::kubeconfig_test {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// With what a cluster and a user say, indented as they stand.
std::string config(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: one\n"
         "contexts:\n- name: one\n  context: {cluster: c, user: u}\n"
         "- name: two\n  context: {cluster: c}\n"
         "clusters:\n- name: c\n  cluster:\n" +
         cluster + "users:\n- name: u\n  user:\n" + user;
}

const std::string kServer = "    server: https://10.0.0.1:6443/k8s/\n";

Result<ClusterAccess> parsed(const std::string& text, const std::string& context = "") {
  return parse_kubeconfig({{{"dir/config", text}}}, context);
}

std::string failure(const std::string& text, const std::string& context = "") {
  auto access = parsed(text, context);
  return access ? "" : access.error().message;
}

TEST(Kubeconfig, ReadsTheCurrentContext) {
  auto access =
      parsed(config(kServer + "    certificate-authority-data: UEVN\n    tls-server-name: api\n",
                    "    token: s3cret\n    as: robot\n    as-groups: [a, b]\n"));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->context, "one");
  EXPECT_EQ(access->server.authority(), "10.0.0.1:6443");
  EXPECT_EQ(access->server.prefix, "/k8s");
  EXPECT_EQ(access->authority.text, "PEM");
  EXPECT_EQ(access->tls_server_name, "api");
  EXPECT_TRUE(access->verify);
  EXPECT_EQ(access->user.token.text, "s3cret");
  EXPECT_EQ(access->user.impersonate, "robot");
  EXPECT_THAT(access->user.impersonate_groups, testing::ElementsAre("a", "b"));
}

TEST(Kubeconfig, AContextThatIsNamedComesBeforeTheCurrentOne) {
  auto access = parsed(config(kServer, "    token: t\n"), "two");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_FALSE(access->user.token.given());
}

TEST(Kubeconfig, JsonIsYaml) {
  auto access =
      parsed(R"({"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c"}}],)"
             R"("clusters":[{"name":"c","cluster":{"server":"http://[::1]:80"}}]})");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_FALSE(access->server.tls);
  EXPECT_EQ(access->server.authority(), "[::1]:80");
}

TEST(Kubeconfig, FilesAreRelativeToIt) {
  TemporaryFolder folder;
  folder.write("ca.crt", "CA");
  folder.write("token", "T\n");
  folder.write("config", config(kServer + "    certificate-authority: ca.crt\n",
                                "    tokenFile: token\n    token: old\n"));
  auto access = read_kubeconfigs({{folder.path() + "/config"}}, "");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->authority.read().value(), "CA");
  EXPECT_EQ(access->user.token.file, folder.path() + "/token") << "it comes before the token";
}

TEST(Kubeconfig, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(failure(""), HasSubstr("dir/config: found nothing"));
  EXPECT_EQ(failure(config(kServer, "    token: t\n"), "three"),
            "dir/config:5: $.contexts: has no \"three\" among the contexts: \"one\", \"two\"");
  EXPECT_EQ(failure(config("    server: 10.0.0.1:6443\n", "    {}\n")),
            "dir/config:12: $.clusters[0].cluster.server: expected a URL such as "
            "\"https://10.0.0.1:6443\"");
  EXPECT_THAT(
      failure(config(kServer + "    certificate-authority: no.crt\n", "    {}\n")),
      HasSubstr("$.clusters[0].cluster.certificate-authority: dir/no.crt: found no such file"));
  EXPECT_THAT(failure(config(kServer, "    auth-provider: {name: gcp}\n")),
              HasSubstr("$.users[0].user.auth-provider: is no longer supported"));
  EXPECT_THAT(failure(config(kServer, "    exec: {apiVersion: client.authentication.k8s.io/v1}\n")),
              HasSubstr("names no command"));
  EXPECT_THAT(failure(config(kServer, "    client-key-data: a2V5\n")), HasSubstr("expected both"));
  EXPECT_THAT(failure(config(kServer + "    proxy-url: socks5://p:1\n", "    {}\n")),
              HasSubstr("expected the URL of a proxy"));
  EXPECT_THAT(failure("clusters: []\n"), HasSubstr("no current-context"));
}

TEST(Kubeconfig, VerificationIsOffOnlyWhenItSaysSoAndNeverByAccident) {
  auto access = parsed(config(kServer + "    insecure-skip-tls-verify: true\n", "    {}\n"));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_FALSE(access->verify);
  EXPECT_THAT(failure(config(kServer + "    insecure-skip-tls-verify: yes please\n", "    {}\n")),
              HasSubstr("expected true or false"));
  EXPECT_THAT(failure(config(kServer + "    insecure-skip-tls-verify: true\n"
                                       "    certificate-authority-data: UEVN\n",
                             "    {}\n")),
              HasSubstr("expected one of them"));
}

TEST(Kubeconfig, NoMessageHoldsASecret) {
  for (const char* user : {"    token: 5301\n", "    token: [5301]\n", "    token: \"5301\n",
                           "    client-key-data: \"5301!\"\n", "    token: *5301\n",
                           "    client-key-data: NTMwMQ==\n    token: {a: 5301}\n"}) {
    std::string message = failure(config(kServer, user));
    EXPECT_NE(message, "") << user;
    EXPECT_THAT(message, Not(HasSubstr("5301"))) << user;
  }
  EXPECT_THAT(failure(config("    server: https://me:5301@10.0.0.1:x\n", "    {}\n")),
              testing::AllOf(Not(HasSubstr("5301")), Not(testing::IsEmpty())));
}

// A file whose entries are all named `word`, with its server and its authority.
std::string of_one(const std::string& word, const std::string& current) {
  return "current-context: \"" + current + "\"\ncontexts:\n- name: " + word +
         "\n  context: {cluster: " + word + ", user: u}\nclusters:\n- name: " + word +
         "\n  cluster: {server: \"https://" + word + ":1\", certificate-authority: ca.crt}\n" +
         "users:\n- name: u\n  user: {token: " + word + "}\n";
}

TEST(Kubeconfigs, TheFirstFileDecides) {
  std::string first = "contexts:\n- name: b\n  context: {cluster: a}\n" +
                      of_one("a", "").substr(of_one("a", "").find("clusters"));
  std::vector<KubeconfigText> files = {{"a", first}, {"b", of_one("b", "b")}};
  for (KubeconfigText& file : files) {
    file.text.replace(file.text.find(", certificate-authority: ca.crt"), 31, "");
  }
  auto access = parse_kubeconfig(files, "");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->context, "b")
      << "the current-context of the second file, as the first has none";
  EXPECT_EQ(access->server.host, "a") << "the context of the first file";
  EXPECT_FALSE(access->user.token.given()) << "entries are not merged";
  std::swap(files[0], files[1]);
  access = parse_kubeconfig(files, "");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->server.host, "b");
  EXPECT_EQ(access->user.token.text, "b");
}

TEST(Kubeconfigs, EachHasItsOwnFolder) {
  TemporaryFolder one;
  TemporaryFolder two;
  one.write("ca.crt", "CA of one");
  two.write("ca.crt", "CA of two");
  one.write("config", of_one("one", "two"));
  two.write("config", of_one("two", "one"));
  std::vector<std::string> files =
      kubeconfig_paths(one.path() + "/config::/nowhere/config:" + two.path() + "/config");
  auto access = read_kubeconfigs(files, "");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->context, "two");
  EXPECT_EQ(access->server.host, "two");
  EXPECT_EQ(access->authority.read().value(), "CA of two");
  EXPECT_EQ(access->user.token.text, "one") << "the first user of this name";
  access = read_kubeconfigs(files, "one");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->authority.read().value(), "CA of one");
}

TEST(Kubeconfigs, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(read_kubeconfigs({{"/nowhere/a", "/nowhere/b"}}, "").error().message,
            "found none of the kubeconfigs /nowhere/a:/nowhere/b");
  EXPECT_THAT(read_kubeconfigs({{"/nowhere/a:b"}}, "").error().message, HasSubstr("/nowhere/a:b"));
  EXPECT_THAT(kubeconfig_paths(":"), IsEmpty());
  EXPECT_THAT(read_kubeconfigs({}, "").error().message, HasSubstr("no kubeconfig is named"));
  auto failure_of = [](const std::string& second, const std::string& context) {
    return parse_kubeconfig({{{"a", of_one("a", "a")}, {"b", second}}}, context).error().message;
  };
  EXPECT_EQ(failure_of(of_one("b", ""), "c"),
            "a:3: $.contexts: has no \"c\" among the contexts: \"a\", \"b\"");
  EXPECT_EQ(failure_of("contexts: [", "a"), "b:2: cannot be read as YAML")
      << "every file has to be right";
}

TEST(InCluster, NeedsAPodsSurroundings) {
  auto outside = in_cluster_access([](const char*) -> const char* { return nullptr; });
  ASSERT_FALSE(outside);
  EXPECT_THAT(outside.error().message, HasSubstr("KUBERNETES_SERVICE_HOST"));
  TemporaryFolder folder;
  auto environment = [](const char* name) {
    return std::string_view(name) == "KUBERNETES_SERVICE_HOST" ? "fd00::1" : "443";
  };
  EXPECT_THAT(in_cluster_access(environment, folder.path()).error().message, HasSubstr("ca.crt"));
  folder.write("ca.crt", "CA");
  folder.write("token", "T");
  auto access = in_cluster_access(environment, folder.path());
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->server.authority(), "[fd00::1]:443");
  EXPECT_EQ(access->user.token.file, folder.path() + "/token");
}

}  // namespace
}  // namespace trellis::kubeconfig_test
