#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "framework/ascii.h"
#include "server/document/document.h"
#include "server/fabric/fabric_reader.h"
#include "server/fabric/node_list.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 6> kKeys = {"SwitchName", "Switches",  "Nodes",
                                                   "LinkSpeed",  "BlockName", "BlockSizes"};

// A line of the file, with those that continue it.
struct ConfLine {
  std::string text;
  int64_t number = 0;
};

std::vector<ConfLine> split_lines(std::string_view text) {
  std::vector<ConfLine> lines;
  bool continues = false;
  for (int64_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = line.substr(0, line.find('#'));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t'))
      line.remove_suffix(1);
    if (!continues) lines.push_back({.text = "", .number = number});
    continues = line.ends_with('\\');
    if (continues) line.remove_suffix(1);
    lines.back().text += line;
  }
  return lines;
}

struct ConfStatement {
  std::string switch_name;
  std::string block_name;
  std::string switches;
  std::string nodes;
  std::string sizes;
};

class SlurmConfReader {
 public:
  explicit SlurmConfReader(const FabricText& text)
      : text_(text), fabric_(text.file, text.diagnostics) {}

  Fabric read() {
    for (const ConfLine& line : split_lines(text_.text)) read_line(line);
    join_blocks(fabric_, blocks_, block_names_, sizes_, sizes_at_);
    return fabric_.finish("", FabricBuilder::LoneSwitches::Refused);
  }

 private:
  void read_line(const ConfLine& line) {
    FabricPlace at{.line = line.number};
    ConfStatement read;
    if (!split_words(line, read)) return;
    if (!read.switch_name.empty()) {
      int32_t index = fabric_.define(read.switch_name, at);
      for (const std::string& name : names(read.switches, at)) {
        fabric_.connect(index, fabric_.mention(name, at), at);
      }
      attach(read.nodes, index, at);
    } else if (!read.block_name.empty()) {
      blocks_.push_back(fabric_.define(read.block_name, at));
      block_names_.push_back(read.block_name);
      attach(read.nodes, blocks_.back(), at);
    } else if (!read.sizes.empty()) {
      read_sizes(read.sizes, at);
    } else {
      fabric_.error(at, {.found = in_quotes(line.text),
                         .expected = "a line with SwitchName=, BlockName= or BlockSizes="});
    }
  }

  // False: nothing to read in the line.
  bool split_words(const ConfLine& line, ConfStatement& read) {
    std::string_view rest = line.text;
    bool any = false;
    while (true) {
      rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t\r")));
      if (rest.empty()) return any;
      std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
      rest.remove_prefix(word.size());
      size_t equals = word.find('=');
      std::string key = lower(word.substr(0, equals));
      std::string_view value =
          equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
      std::string* field = field_of(read, key);
      if (field != nullptr) {
        *field = value;
        any = true;
      } else if (key != "linkspeed") {
        fabric_.error({.line = line.number},
                      {.found = in_quotes(word),
                       .expected = "KEY=VALUE with a key of topology.conf",
                       .nearest = nearest_word(word.substr(0, equals), kKeys)});
        return false;
      }
    }
  }

  static std::string* field_of(ConfStatement& read, std::string_view key) {
    if (key == "switchname") return &read.switch_name;
    if (key == "switches") return &read.switches;
    if (key == "nodes") return &read.nodes;
    if (key == "blockname") return &read.block_name;
    if (key == "blocksizes") return &read.sizes;
    return nullptr;
  }

  std::vector<std::string> names(const std::string& list, const FabricPlace& at) {
    if (list.empty()) return {};
    Result<std::vector<std::string>> expanded = expand_node_list(list);
    if (expanded) return std::move(*expanded);
    fabric_.error(
        at, {.found = expanded.error().message, .expected = "names such as n1,rack[0-1]n[01-16]"});
    return {};
  }

  void attach(const std::string& list, int32_t to, const FabricPlace& at) {
    for (const std::string& name : names(list, at)) fabric_.attach(name, to, at);
  }

  void read_sizes(std::string_view list, const FabricPlace& at) {
    sizes_at_ = at;
    while (!list.empty()) {
      std::string_view word = list.substr(0, list.find(','));
      list.remove_prefix(std::min(list.size(), word.size() + 1));
      int64_t size = 0;
      auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), size);
      if (fault != std::errc() || end != word.data() + word.size() || size < 1) {
        fabric_.error(at, {.found = in_quotes(word), .expected = "sizes of blocks such as 4,16"});
        sizes_.clear();
        return;
      }
      sizes_.push_back(size);
    }
  }

  const FabricText& text_;
  FabricBuilder fabric_;
  std::vector<int32_t> blocks_;
  std::vector<std::string> block_names_;
  std::vector<int64_t> sizes_;
  FabricPlace sizes_at_;
};

}  // namespace

Fabric read_slurm_conf(const FabricText& text) { return SlurmConfReader(text).read(); }

}  // namespace trellis
