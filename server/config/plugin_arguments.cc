#include "server/config/plugin_arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "server/text/nearest_word.h"

namespace trellis {
namespace {

constexpr std::string_view kItems = "[]";
constexpr std::string_view kSeveral = "several:";

// A part of the arguments that is still to be read, with its location and the paths below it.
struct Part {
  Value value;
  std::string at;                       // its path, with indexes of lists; "": the root
  std::vector<std::string_view> paths;  // the rest of each path below it
};

struct Step {
  std::string_view key;
  bool items = false;     // the member is a list
  std::string_view form;  // of the value; "": any
};

Step first_step(std::string_view path) {
  std::string_view key = path.substr(0, path.find_first_of(".="));
  bool items = key.ends_with(kItems);
  size_t equals = path.find('=');
  bool last = equals != std::string_view::npos && path.find('.') == std::string_view::npos;
  return {items ? key.substr(0, key.size() - kItems.size()) : key, items,
          last ? path.substr(equals + 1) : std::string_view()};
}

bool is_number(Value value) {
  return value.is(ValueKind::Number) &&
         value.text().find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_decimal(Value value) {
  if (!value.is(ValueKind::Number)) return false;
  std::string_view text = value.text();
  double number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

// Splits a text at each `bar`.
std::vector<std::string_view> words_between(std::string_view text, char bar) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    parts.push_back(text.substr(0, text.find(bar)));
    text.remove_prefix(std::min(text.size(), parts.back().size() + 1));
  }
  return parts;
}

std::string either(std::span<const std::string_view> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

std::string_view rest_of(std::string_view path) {
  size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
}

class ArgumentReader {
 public:
  ArgumentReader(ConfigFields::Report& report, std::map<std::string, std::string>& arguments)
      : report_(report), arguments_(arguments) {}

  void read(Value value, std::span<const std::string_view> paths) {
    parts_.push_back({value, "", {paths.begin(), paths.end()}});
    while (!parts_.empty()) {
      Part part = std::move(parts_.back());
      parts_.pop_back();
      read_members(part);
    }
  }

 private:
  void read_members(const Part& part) {
    ConfigFields fields(part.value, report_);
    std::vector<std::string_view> seen;
    for (std::string_view path : part.paths) {
      Step step = first_step(path);
      if (std::find(seen.begin(), seen.end(), step.key) != seen.end()) continue;
      seen.push_back(step.key);
      Value member = fields.take(step.key);
      if (member.absent()) continue;
      std::string at = part.at.empty() ? std::string(step.key)
                                       : std::string(part.at).append(".").append(step.key);
      read_member(member, step, std::move(at), below(part.paths, step.key));
    }
  }

  static std::vector<std::string_view> below(const std::vector<std::string_view>& paths,
                                             std::string_view key) {
    std::vector<std::string_view> found;
    for (std::string_view path : paths) {
      if (first_step(path).key == key && !rest_of(path).empty()) found.push_back(rest_of(path));
    }
    return found;
  }

  void read_member(Value member, Step step, std::string at, std::vector<std::string_view> paths) {
    if (step.items) return read_items(member, at, paths);
    if (!paths.empty()) {
      if (member.is(ValueKind::Object)) {
        parts_.push_back({member, std::move(at), std::move(paths)});
      } else {
        ConfigFields::complain(report_, member, "a map");
      }
      return;
    }
    std::string_view form = step.form;
    bool several = form.starts_with(kSeveral);
    if (several) form.remove_prefix(kSeveral.size());
    if (member.is(ValueKind::Object) || (member.is(ValueKind::Array) && !several)) {
      ConfigFields::complain(report_, member, "a word, a number, true or false");
    } else if (several) {
      read_several(member, form, at);
    } else if (is_of_form(member, member.text(), form)) {
      bool truth = member.is(ValueKind::Bool);
      std::string_view text = truth ? (member.boolean() ? "true" : "false") : member.text();
      arguments_.emplace(std::move(at), text);
    }
  }

  // Words that are not of the form are reported and left out.
  void read_several(Value member, std::string_view form, const std::string& at) {
    std::string text;
    auto take = [&](Value where, std::string_view word) {
      if (!is_of_form(where, word, form)) return;
      text.append(text.empty() ? "" : ",").append(word);
    };
    if (member.is(ValueKind::Array)) {
      for (Value item : member.items()) take(item, item.text());
    } else {
      for (std::string_view word : words_between(member.text(), ',')) take(member, word);
    }
    arguments_.emplace(at, text);
  }

  bool is_that(Value at, bool is, std::string_view expected) {
    if (!is) ConfigFields::complain(report_, at, std::string(expected));
    return is;
  }

  bool is_of_form(Value at, std::string_view text, std::string_view form) {
    if (form.empty()) return true;
    if (form == "bool") return is_that(at, at.is(ValueKind::Bool), "true or false");
    if (form == "number") return is_that(at, is_number(at), "a whole number that is not negative");
    if (form == "decimal") return is_that(at, is_decimal(at), "a number");
    std::vector<std::string_view> words = words_between(form, '|');
    if (std::find(words.begin(), words.end(), text) != words.end()) return true;
    ConfigFields::complain(report_, at, either(words), nearest_word(text, words));
    return false;
  }

  void read_items(Value list, const std::string& at, const std::vector<std::string_view>& paths) {
    if (!list.is(ValueKind::Array)) {
      ConfigFields::complain(report_, list, "a list of maps");
      return;
    }
    size_t place = 0;
    for (Value item : list.items()) {
      std::string place_text = "[" + std::to_string(place++) + "]";
      if (item.is(ValueKind::Object)) {
        parts_.push_back({item, at + place_text, paths});
      } else {
        ConfigFields::complain(report_, item, "a map");
      }
    }
  }

  ConfigFields::Report& report_;
  std::map<std::string, std::string>& arguments_;
  std::vector<Part> parts_;
};

}  // namespace

std::map<std::string, std::string> read_plugin_arguments(Value arguments,
                                                         ConfigFields::Report& report,
                                                         std::span<const std::string_view> paths) {
  std::map<std::string, std::string> read;
  ArgumentReader(report, read).read(arguments, paths);
  return read;
}

}  // namespace trellis
