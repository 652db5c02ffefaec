#include "server/grouping/made_pod.h"

#include <algorithm>

#include "framework/string_table.h"
#include "server/document/json_text.h"
#include "server/document/timestamp.h"

namespace trellis {
namespace {

constexpr int64_t kMostOfOne = 100'000;  // pods of an owner; Kubernetes' bound on indexed Jobs

void append_text_member(std::string& out, std::string_view key, std::string_view text) {
  if (out.back() != '{') out += ',';
  append_json_string(out, key);
  out += ':';
  append_json_string(out, text);
}

// An object's text without its closing brace; `text` empty: an empty object.
std::string open_object(std::string_view text) {
  return text.empty() ? std::string("{") : std::string(text.substr(0, text.size() - 1));
}

}  // namespace

void set_label(Labels& labels, Label label) {
  auto at = std::lower_bound(labels.begin(), labels.end(), label,
                             [](const Label& a, const Label& b) { return a.key < b.key; });
  if (at != labels.end() && at->key == label.key) {
    at->value = label.value;
  } else {
    labels.insert(at, label);
  }
}

bool PodFactory::reserve(int64_t pods, const Place& at, std::string_view of) {
  std::string found = std::to_string(pods) + " pods to make";
  if (pods > kMostOfOne) {
    fields_.report().error(
        at, {found, "at most " + std::to_string(kMostOfOne) + " of one " + std::string(of), ""});
    return false;
  }
  if (pods > left_) {
    fields_.report().error(
        at, {found, "at most " + std::to_string(*max_pods_) + " of all Jobs together", ""});
    return false;
  }
  left_ -= pods;
  return true;
}

PodRecord PodFactory::begin(const OwnerRecord& owner, const PodTemplateRecord& of) {
  PodRecord record = of.pod;
  record.meta.key = owner.meta.key;
  record.meta.key.group = StringTable::kEmpty;
  record.meta.key.kind = fields_.intern("Pod");
  record.meta.owner = owner.meta.key;
  record.meta.created = owner.meta.created;
  record.meta.pos = owner.meta.pos;
  record.meta.error = owner.meta.error;
  record.object.pod.name_space = record.meta.key.name_space;
  record.object.pod.created = record.meta.created;
  record.object.pod.daemon_set = StringTable::kEmpty;
  return record;
}

bool PodFactory::take_name(PodRecord& record, const std::string& name) {
  if (!names_known_) {
    names_.reserve(records_.pods.size());
    for (const PodRecord& pod : records_.pods) names_.insert(pod.meta.key);
    names_known_ = true;
  }
  record.meta.key.name = fields_.intern(name);
  record.object.pod.name = name;
  return names_.insert(record.meta.key).second;
}

void PodFactory::add(const OwnerRecord& owner, std::string_view api_version,
                     const PodTemplateRecord& of, PodRecord record,
                     std::pair<std::string_view, std::string> annotation) {
  if (raw_ != nullptr) {
    raw_->push_back(raw_pod(owner, api_version, of, record.object.pod, annotation));
  }
  records_.pods.push_back(std::move(record));
}

Labels PodFactory::by_key(Labels labels) const {
  std::sort(labels.begin(), labels.end(),
            [this](const Label& a, const Label& b) { return view(a.key) < view(b.key); });
  return labels;
}

RawObject PodFactory::raw_pod(const OwnerRecord& owner, std::string_view api_version,
                              const PodTemplateRecord& of, const Pod& pod,
                              const std::pair<std::string_view, std::string>& annotation) const {
  std::string json = R"({"apiVersion":"v1","kind":"Pod","metadata":{)";
  append_text_member(json, "namespace", view(pod.name_space));
  append_text_member(json, "name", pod.name);
  if (pod.created != kNoTime) {
    append_text_member(json, "creationTimestamp", format_timestamp(pod.created));
  }
  // The pod's own labels, not the template's text: labels that are set here replace those of the
  // template.
  json += R"(,"labels":{)";
  for (Label label : by_key(pod.labels)) {
    append_text_member(json, view(label.key), view(label.value));
  }
  json += '}';
  std::string annotations = open_object(of.raw_annotations);
  bool adds = !annotation.first.empty() && annotations.find(annotation.first) == std::string::npos;
  if (adds) append_text_member(annotations, annotation.first, annotation.second);
  if (annotations.size() > 1) json += R"(,"annotations":)" + annotations + "}";
  if (!of.raw_finalizers.empty()) json += R"(,"finalizers":)" + of.raw_finalizers;
  json += R"(,"ownerReferences":[{)";
  append_text_member(json, "apiVersion", api_version);
  append_text_member(json, "kind", view(owner.meta.key.kind));
  append_text_member(json, "name", view(owner.meta.key.name));
  if (!owner.meta.uid.empty()) append_text_member(json, "uid", owner.meta.uid);
  json += R"(,"controller":true}]},"spec":)";
  json += of.raw_spec.empty() ? "{}" : of.raw_spec;
  json += R"(,"status":{"phase":"Pending"}})";
  return {"Pod", std::string(view(pod.name_space)), pod.name, std::move(json)};
}

}  // namespace trellis
