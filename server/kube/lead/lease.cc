#include "server/kube/lead/lease.h"

#include <xxhash.h>

#include <algorithm>
#include <charconv>

#include "server/document/document.h"
#include "server/document/document_builder.h"
#include "server/document/json_scanner.h"
#include "server/document/json_text.h"
#include "server/kube/client/cluster_access.h"

namespace trellis {
namespace {

constexpr std::string_view kLeaseName = "trellis";
constexpr std::string_view kControlPlane = "kube-system";

char name_letter(char c) {
  bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  if (good) return c;
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '-';
}

std::string hash_text(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr int kLength = 8;
  uint64_t hash = XXH3_64bits(text.data(), text.size());
  std::string digits;
  for (int i = 0; i < kLength; ++i, hash >>= 4) digits += kDigits[hash & 15];
  return digits;
}

}  // namespace

std::string lease_name(std::string_view shard_value) {
  if (shard_value.empty()) return std::string(kLeaseName);
  std::string name = std::string(kLeaseName) + "-";
  std::string word;
  for (char c : shard_value) word += name_letter(c);
  bool same = word == shard_value && word.back() != '-';
  return name + word + (same ? "" : "-" + hash_text(shard_value));
}

std::string lease_namespace(const std::string& folder) {
  Result<std::string> text = GivenText{.text = "", .file = folder + "/namespace"}.read();
  if (!text) return std::string(kControlPlane);
  std::string_view name = *text;
  name = name.substr(0, name.find_first_of("\r\n \t"));
  return std::string(name.empty() ? kControlPlane : name);
}

namespace {

// 0 where there is none.
int64_t number_in(Value value) {
  std::string_view text = value.text();
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::max<int64_t>(number, 0);
}

std::string kept(Value value) { return value.size() == 0 ? "" : json_text(value); }

void append_field(std::string& text, std::string_view key, std::string_view value) {
  text.append(text.back() == '{' ? "\"" : ",\"").append(key).append("\":");
  append_json_string(text, value);
}

}  // namespace

Result<LeaseRecord> parse_lease(const std::string& text) {
  JsonScanner scanner(text);
  Document document;
  DocumentBuilder builder(document);
  if (!scanner.read_value(builder) || document.root()["kind"].text() != "Lease") {
    return error("the answer is no Lease");
  }
  Value metadata = document.root()["metadata"];
  Value spec = document.root()["spec"];
  LeaseRecord record;
  record.holder = spec["holderIdentity"].text();
  record.duration_s = number_in(spec["leaseDurationSeconds"]);
  record.acquired = spec["acquireTime"].text();
  record.renewed = spec["renewTime"].text();
  record.transitions = number_in(spec["leaseTransitions"]);
  record.resource_version = metadata["resourceVersion"].text();
  record.labels = kept(metadata["labels"]);
  record.annotations = kept(metadata["annotations"]);
  if (record.resource_version.empty()) return error("the answer is a Lease without a version");
  return record;
}

std::string lease_json(const LeaseRecord& record, std::string_view name_space,
                       std::string_view name) {
  std::string metadata = "{";
  append_field(metadata, "namespace", name_space);
  append_field(metadata, "name", name);
  if (!record.resource_version.empty()) {
    append_field(metadata, "resourceVersion", record.resource_version);
  }
  if (!record.labels.empty()) metadata += ",\"labels\":" + record.labels;
  if (!record.annotations.empty()) metadata += ",\"annotations\":" + record.annotations;
  std::string spec = "{";
  append_field(spec, "holderIdentity", record.holder);
  if (!record.acquired.empty()) append_field(spec, "acquireTime", record.acquired);
  append_field(spec, "renewTime", record.renewed);
  spec += ",\"leaseDurationSeconds\":" + std::to_string(record.duration_s) +
          ",\"leaseTransitions\":" + std::to_string(record.transitions);
  return R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":)" + metadata +
         "},\"spec\":" + spec + "}}";
}

}  // namespace trellis
