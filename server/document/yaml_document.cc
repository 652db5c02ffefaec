#include "server/document/yaml_document.h"

#include <algorithm>
#include <utility>

#include "server/document/yaml_scalar.h"

namespace trellis {
namespace {

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

bool is_tag(std::string_view tag, std::string_view name) {
  return tag.starts_with(kTagPrefix) && tag.substr(kTagPrefix.size()) == name;
}

std::string show_tag(std::string_view tag) {
  if (tag.starts_with(kTagPrefix)) return "!!" + std::string(tag.substr(kTagPrefix.size()));
  return std::string(tag);
}

}  // namespace

YamlDocument::YamlDocument(Document& document, const ReadSink& sink, uint32_t first_line,
                           size_t& copies_left)
    : builder_(document), sink_(sink), first_line_(first_line), copies_left_(copies_left) {}

void YamlDocument::report(uint32_t line, std::string found, std::string expected) {
  broken_ = true;
  sink_.diagnostics->push_back({.file = std::string(sink_.file),
                                .document = builder_.document().number(),
                                .line = line,
                                .found = std::move(found),
                                .expected = std::move(expected)});
}

void YamlDocument::take(const yaml_event_t& event) {
  if (broken_) return;
  auto line = static_cast<uint32_t>(event.start_mark.line) + first_line_;
  switch (event.type) {
    case YAML_SCALAR_EVENT:
      take_scalar(event, line);
      break;
    case YAML_ALIAS_EVENT:
      take_alias(view(event.data.alias.anchor), line);
      break;
    case YAML_MAPPING_START_EVENT:
      open(true, event.data.mapping_start.anchor, event.data.mapping_start.tag, line);
      break;
    case YAML_SEQUENCE_START_EVENT:
      open(false, event.data.sequence_start.anchor, event.data.sequence_start.tag, line);
      break;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
      close();
      break;
    default:
      break;
  }
}

bool YamlDocument::finish() {
  if (broken_) return false;
  size_t listed = 0;
  const Document& document = builder_.document();
  for (const DocumentBuilder::DuplicateKey& key : builder_.duplicates()) {
    if (++listed > DocumentBuilder::kMostDuplicates) {
      size_t more = builder_.duplicates().size() - DocumentBuilder::kMostDuplicates;
      report(document.element(key.second).line, std::to_string(more) + " more keys a second time",
             "each key once");
      break;
    }
    uint32_t line = document.element(key.second).line;
    std::string path = document.path(key.second);
    std::string first = "the first is at line " + std::to_string(document.element(key.first).line);
    // Probably files that were joined without a separator.
    if (path == "$.apiVersion" || path == "$.kind") first += "; is a line \"---\" missing between?";
    report(line, "the key " + in_quotes(document.element(key.second).view()) + " a second time",
           "each key once (" + first + ")");
    sink_.diagnostics->back().path = std::move(path);
  }
  return !broken_;
}

void YamlDocument::take_scalar(const yaml_event_t& event, uint32_t line) {
  const auto& scalar = event.data.scalar;
  std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
  std::string_view tag = view(scalar.tag);
  bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE && tag != "!";
  if (is_tag(tag, "str")) plain = false;
  if (!open_.empty() && open_.back().at_key) {
    if (scalar.anchor != nullptr) {
      Document::Element key;
      std::string_view kept = builder_.document().keep(text);
      key.text = kept.data();
      key.length = static_cast<uint32_t>(kept.size());
      key.line = line;
      key.end = 1;
      key.kind = ValueKind::String;
      anchors_[std::string(view(scalar.anchor))] = {key};
    }
    take_key(text, plain, line);
    return;
  }
  if (!begin_value(line)) return;

  bool typed =
      is_tag(tag, "int") || is_tag(tag, "float") || is_tag(tag, "bool") || is_tag(tag, "null");
  bool known = tag.empty() || tag == "!" || typed || is_tag(tag, "str") || is_tag(tag, "timestamp");
  if (!known) {
    report(line, "the tag " + in_quotes(show_tag(tag)), "no tag");
    return;
  }
  YamlScalar value = plain || typed ? resolve_plain(text) : YamlScalar{};
  bool fits = !typed || (is_tag(tag, "null") && value.kind == ValueKind::Null) ||
              (is_tag(tag, "bool") && value.kind == ValueKind::Bool) ||
              ((is_tag(tag, "int") || is_tag(tag, "float")) && value.kind == ValueKind::Number);
  if (!fits) {
    report(line, in_quotes(text), "a value that the tag " + in_quotes(show_tag(tag)) + " allows");
    return;
  }
  switch (value.kind) {
    case ValueKind::Null:
      builder_.null(line);
      break;
    case ValueKind::Bool:
      builder_.boolean(value.boolean, line);
      break;
    case ValueKind::Number:
      builder_.number(builder_.document().keep(value.number), line);
      break;
    default:
      builder_.string(builder_.document().keep(text), line);
  }
  if (scalar.anchor != nullptr) {
    anchors_[std::string(view(scalar.anchor))] = builder_.extract(builder_.size() - 1);
  }
  end_value();
}

void YamlDocument::take_key(std::string_view text, bool plain, uint32_t line) {
  Open& object = open_.back();
  object.at_key = false;
  YamlScalar meant = plain ? resolve_plain(text) : YamlScalar{};
  if (plain && text == "<<") object.merges.push_back(builder_.size());
  // Keys that are no strings are converted as the Kubernetes tools convert them.
  if (meant.kind == ValueKind::Bool) text = meant.boolean ? "true" : "false";
  if (meant.kind == ValueKind::Number) text = meant.number;
  if (meant.kind == ValueKind::Null) {
    report(line, "no key", "a string as key");
    return;
  }
  builder_.key(builder_.document().keep(text), line);
}

bool YamlDocument::begin_value(uint32_t line) {
  if (open_.empty() || !open_.back().at_key) return true;
  report(line, "an object or a list as a key", "a string");
  return false;
}

void YamlDocument::end_value() {
  if (!open_.empty() && open_.back().object) open_.back().at_key = true;
}

void YamlDocument::take_alias(std::string_view anchor, uint32_t line) {
  auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    bool inside = std::any_of(open_.begin(), open_.end(),
                              [&](const Open& open) { return open.anchor == anchor; });
    std::string name = "the alias *" + std::string(anchor);
    if (inside) {
      report(line, name + " inside what it stands for", "an alias behind it");
    } else {
      report(line, name, "one whose anchor &" + std::string(anchor) + " stands before it");
    }
    return;
  }
  const DocumentBuilder::Elements& elements = found->second;
  if (!open_.empty() && open_.back().at_key) {
    if (elements[0].kind != ValueKind::String) {
      begin_value(line);
      return;
    }
    take_key(elements[0].view(), false, line);
    return;
  }
  if (!spend(elements.size(), line)) return;
  if (!builder_.append(elements)) return report_depth(line);
  end_value();
}

void YamlDocument::open(bool object, const yaml_char_t* anchor, const yaml_char_t* tag,
                        uint32_t line) {
  if (!begin_value(line)) return;
  std::string_view tag_text = view(tag);
  if (!tag_text.empty() && tag_text != "!" && !is_tag(tag_text, object ? "map" : "seq")) {
    report(line, "the tag " + in_quotes(show_tag(tag_text)), "no tag");
    return;
  }
  if (!builder_.begin(object ? ValueKind::Object : ValueKind::Array, line)) {
    return report_depth(line);
  }
  open_.push_back({.object = object, .at_key = object, .anchor = std::string(view(anchor))});
  // Until the container ends, its anchor is undefined.
  if (anchor != nullptr) anchors_.erase(open_.back().anchor);
}

void YamlDocument::close() {
  Open closed = std::move(open_.back());
  open_.pop_back();
  uint32_t container = builder_.innermost();
  if (!closed.merges.empty()) merge(closed);
  if (broken_) return;
  builder_.end();
  end_value();
  if (closed.anchor.empty()) return;
  uint32_t line = builder_.document().element(container).line;
  if (!spend(builder_.size() - container, line)) return;
  anchors_[closed.anchor] = builder_.extract(container);
}

// `<<: *base` adds the members of `base` whose keys the object itself does not have.
void YamlDocument::merge(const Open& object) {
  const Document& document = builder_.document();
  std::vector<uint32_t> keys;
  std::vector<std::string_view> own;
  for (uint32_t key = builder_.innermost() + 1; key < builder_.size();
       key = document.after(key + 1)) {
    if (std::binary_search(object.merges.begin(), object.merges.end(), key)) continue;
    keys.push_back(key);
    own.push_back(document.element(key).view());
  }
  std::sort(own.begin(), own.end());

  std::vector<Value> sources;
  for (uint32_t key : object.merges) {
    Value value(&document, key + 1);
    if (value.is(ValueKind::Array)) {
      for (Value item : value.items()) sources.push_back(item);
    } else {
      sources.push_back(value);
    }
  }
  for (Value source : sources) {
    auto line = static_cast<uint32_t>(source.line());
    if (!source.is(ValueKind::Object)) {
      report(line, describe(source), "an object to merge by <<");
      return;
    }
    if (!spend(source.size() + own.size(), line)) return;
    std::vector<std::string_view> added;
    for (Value::Member member : source.members()) {
      if (std::binary_search(own.begin(), own.end(), member.key)) continue;
      keys.push_back(member.at_key.index());
      added.push_back(member.key);
    }
    own.insert(own.end(), added.begin(), added.end());
    std::sort(own.begin(), own.end());
  }
  builder_.replace_members(keys);
}

bool YamlDocument::spend(size_t elements, uint32_t line) {
  if (elements <= copies_left_) {
    copies_left_ -= elements;
    return true;
  }
  report(line, "aliases that stand for more than " + std::to_string(kMaxCopied) + " values",
         "fewer");
  return false;
}

// Gives the document up: parsing the rest would only take time.
void YamlDocument::report_depth(uint32_t line) {
  report(line, "nesting deeper than " + std::to_string(kMaxDepth) + " levels", "less");
  given_up_ = true;
}

}  // namespace trellis
