#include "server/config/config_printer.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/config/config_description.h"
#include "server/config/known_names.h"
#include "server/document/document_writer.h"
#include "server/document/duration.h"
#include "server/document/yaml_writer.h"

namespace trellis {
namespace {

constexpr size_t kCommentColumn = 44;

std::string scalar(std::string_view text) {
  if (is_plain_yaml(text)) return std::string(text);
  std::string quoted;
  append_quoted(quoted, text);
  return quoted;
}

std::string list(const std::vector<std::string>& names) {
  std::string text = "[";
  for (size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : "") + scalar(names[i]);
  return text + "]";
}

std::string text_of(bool value, form::Plain /*form*/) { return value ? "true" : "false"; }
std::string text_of(double value, form::Plain /*form*/) { return number_text(value); }
std::string text_of(const std::string& value, form::Plain /*form*/) { return scalar(value); }
std::string text_of(const std::vector<std::string>& value, form::Plain /*form*/) {
  return list(value);
}
std::string text_of(int64_t value, form::AtLeast /*form*/) { return std::to_string(value); }
std::string text_of(int64_t value, form::Counted form) { return std::to_string(value / form.unit); }
std::string text_of(int64_t value, form::Limit /*form*/) {
  return value < 0 ? "null" : std::to_string(value);
}
std::string text_of(TimeUs value, form::Duration /*form*/) { return format_duration(value); }
std::string text_of(const DailyWindow& value, form::Daily /*form*/) {
  return scalar(to_string(value));
}
template <class Enum, size_t N>
std::string text_of(Enum value, std::span<const form::Choice<Enum>, N> choices) {
  return std::string(form::word_of(value, choices));
}

// Prints all members on one line.
class InlinePrinter {
 public:
  template <class Place, class Form>
  void field(std::string_view key, const Place& place, Form form, std::string_view /*comment*/) {
    add(key, text_of(place, form));
  }
  template <class Body>
  void group(std::string_view key, std::string_view /*comment*/, Body body) {
    InlinePrinter inner;
    body(inner);
    add(key, inner.text());
  }
  void add(std::string_view key, std::string_view value) {
    members_.append(members_.empty() ? "" : ", ").append(key).append(": ").append(value);
  }
  std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

std::string plugin_text(const PluginConfig& plugin) {
  InlinePrinter out;
  out.field("enabled", plugin.enabled, form::Plain(), "");
  out.field("weight", plugin.weight, form::Plain(), "");
  if (plugin.arguments_json != "{}") out.add("arguments", plugin.arguments_json);
  return out.text();
}

// Prints each member on a line of its own; the members of a group inside a group on one line.
template <int kDepth>
class Printer {
 public:
  std::string take() { return std::move(text_); }

  void about(std::string_view text) {
    text_ += "\n";
    note(text);
  }
  void note(std::string_view comment) { text_.append("# ").append(comment).append("\n"); }

  void line(std::string_view key, std::string_view value, std::string_view comment) {
    std::string content(size_t{2 * kDepth}, ' ');
    content.append(key).append(": ").append(value);
    text_ += content;
    if (!comment.empty()) {
      size_t width = content.size();
      text_.append(width < kCommentColumn ? kCommentColumn - width : 2, ' ');
      text_.append("# ").append(comment);
    }
    text_ += "\n";
  }

  template <class Place, class Form>
  void field(std::string_view key, const Place& place, Form form, std::string_view comment) {
    line(key, text_of(place, form), comment);
  }
  template <class Body>
  void group(std::string_view key, std::string_view comment, Body body) {
    if constexpr (kDepth == 0) {
      Printer<1> inner;
      body(inner);
      text_.append(key).append(":\n").append(inner.take());
    } else {
      InlinePrinter inner;
      body(inner);
      line(key, inner.text(), comment);
    }
  }
  void actions(std::string_view key, const std::vector<std::string>& actions) {
    line(key, list(actions), "");
  }
  void plugins(std::string_view key, const Config& config) {
    std::vector<std::string_view> built = built_plugins();
    std::string others;
    Printer<1> inner;
    for (std::string_view name : known_plugins()) {
      bool is_built = std::find(built.begin(), built.end(), name) != built.end();
      if (is_built || config.plugins.contains(std::string(name))) {
        inner.line(name, plugin_text(config.plugin(std::string(name))), "");
      } else {
        others.append(others.empty() ? "" : ", ").append(name);
      }
    }
    text_.append(key).append(":\n").append(inner.take());
    if (!others.empty()) text_ += "  # accepted, and without effect yet: " + others + "\n";
  }
  void feature_gates(std::string_view key, const Config& config, std::string_view comment) {
    InlinePrinter gates;
    for (const auto& [name, on] : config.kueue_feature_gates) {
      gates.add(scalar(name), text_of(on, form::Plain()));
    }
    line(key, gates.text(), comment);
  }

 private:
  std::string text_;
};

}  // namespace

std::string print_config(const Config& config) {
  Printer<0> out;
  out.note("Only what differs from the defaults need be written.");
  Config described = config;
  describe_config(out, described);
  return out.take();
}

}  // namespace trellis
