#include "server/app/man_page.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "server/version.h"

namespace trellis {
namespace {

constexpr std::string_view kExamplesHeading = "Examples:";

// As text, and not as a request or an escape of roff.
std::string roff_escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool line_begins = out.empty() || out.back() == '\n';
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return out;
}

std::string roff_bold(std::string_view text) { return "\\fB" + roff_escaped(text) + "\\fR"; }
std::string roff_italic(std::string_view text) { return "\\fI" + roff_escaped(text) + "\\fR"; }

std::string roff_upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// A section of lines that stay as they are.
std::string roff_section(std::string_view title, std::string_view lines) {
  while (lines.ends_with('\n')) lines.remove_suffix(1);
  if (lines.empty()) return "";
  std::string text = ".SH " + std::string(title) + "\n.nf\n";
  for (size_t at = 0; at <= lines.size();) {
    size_t end = std::min(lines.find('\n', at), lines.size());
    std::string_view line = lines.substr(at, end - at);
    text += line.empty() ? ".sp\n" : roff_escaped(line) + "\n";
    at = end + 1;
  }
  return text + ".fi\n";
}

// The paragraph of examples, and what stands around it.
std::string details_of(const CommandText& command) {
  std::string_view all = command.details;
  size_t begin = all.find(kExamplesHeading);
  if (begin == std::string_view::npos) return roff_section("DESCRIPTION", all);
  size_t end = std::min(all.find("\n\n", begin), all.size());
  std::string around(all.substr(0, begin));
  while (around.ends_with('\n')) around.pop_back();
  if (!around.empty() && end < all.size()) around += "\n\n";
  if (end < all.size()) around += all.substr(end + 2);
  std::string_view examples = all.substr(begin, end - begin);
  examples.remove_prefix(std::min(examples.size(), kExamplesHeading.size() + 1));
  return roff_section("DESCRIPTION", around) + roff_section("EXAMPLES", examples);
}

std::string synopsis_of(const CommandText& command, const CommandText& program) {
  bool is_program = command.name == program.name;
  std::string text =
      ".SH SYNOPSIS\n" + roff_bold(is_program ? program.name : program.name + " " + command.name);
  if (is_program) text += " " + roff_italic("COMMAND");
  for (const std::string& verb : is_program ? std::vector<std::string>() : command.verbs) {
    text += " " + roff_bold(verb);
  }
  for (const OptionText& option : command.options) {
    if (option.is_word) text += " " + roff_italic(option.names.front());
  }
  return text + " [" + roff_italic("OPTION") + "]...\n";
}

std::string option_of(const OptionText& option) {
  std::string text = ".TP\n";
  for (size_t i = 0; i < option.names.size(); ++i) {
    text += (i > 0 ? ", " : "") +
            (option.is_word ? roff_italic(option.names[i]) : roff_bold(option.names[i]));
  }
  if (!option.value.empty()) text += " " + roff_italic(option.value);
  return text + "\n" + roff_escaped(option.what) + "\n";
}

std::string page_name(const CommandText& command, const CommandText& program) {
  return command.name == program.name ? program.name : program.name + "-" + command.name;
}

}  // namespace

std::string man_page(const std::string& command, std::span<const CommandText> texts) {
  const CommandText& program = texts.front();
  const CommandText& page = *std::ranges::find(texts, command, &CommandText::name);
  std::string name = page_name(page, program);
  std::string text = ".TH " + roff_upper(name) + " 1 \"\" \"trellis " + std::string(kVersion) +
                     "\" \"Trellis\"\n.SH NAME\n" + roff_escaped(name) + " \\- " +
                     roff_escaped(page.summary) + "\n" + synopsis_of(page, program) +
                     details_of(page);
  if (!page.options.empty()) text += ".SH OPTIONS\n";
  for (const OptionText& option : page.options) text += option_of(option);
  bool is_program = page.name == program.name;
  text += is_program ? ".SH COMMANDS\n" : ".SH SEE ALSO\n.BR trellis (1)\n";
  for (const CommandText& one : texts.subspan(is_program ? 1 : texts.size())) {
    text += ".TP\n.BR " + roff_escaped(page_name(one, program)) + " (1)\n" +
            roff_escaped(one.summary) + "\n";
  }
  return text;
}

}  // namespace trellis
