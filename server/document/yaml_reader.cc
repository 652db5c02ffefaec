#include "server/document/yaml_reader.h"

#include <yaml.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/document/yaml_document.h"

namespace trellis {
namespace {

// The number of broken documents after which the rest of a text is not read, so that a text that is
// no YAML at all does not make a diagnostic for each of them.
constexpr int kMaxBrokenDocuments = 100;

class Parser {
 public:
  explicit Parser(std::string_view text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Parser() { yaml_parser_delete(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  yaml_parser_t* get() { return &parser_; }

 private:
  yaml_parser_t parser_;
};

class Event {
 public:
  Event() = default;
  ~Event() { yaml_event_delete(&event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  yaml_event_t* get() { return &event_; }
  const yaml_event_t& operator*() const { return event_; }

 private:
  yaml_event_t event_{};
};

uint32_t count_lines(std::string_view text) {
  return static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

// The first line from `line` on (0 is the first) that begins with "---"; npos: none.
size_t find_document_start(std::string_view text, uint32_t line) {
  size_t at = 0;
  for (; line > 0; --line) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return at;
    ++at;
  }
  if (text.substr(at).starts_with("---")) return at;
  at = text.find("\n---", at);
  return at == std::string_view::npos ? at : at + 1;
}

class YamlReader {
 public:
  YamlReader(std::string_view text, const ReadSink& sink)
      : text_(text), sink_(sink), copies_left_(kMaxCopied + text.size()) {}

  void run() {
    int broken = 0;
    while (true) {
      std::optional<uint32_t> bad_line = read_stream();
      if (!bad_line) return;
      size_t next =
          find_document_start(text_.substr(offset_), std::max(*bad_line, document_line_ + 1));
      if (next == std::string_view::npos) return;
      if (++broken >= kMaxBrokenDocuments) {
        report("the rest is not read: " + std::to_string(broken) + " documents before are broken",
               line_ + count_lines(text_.substr(offset_, next)) + 1);
        return;
      }
      line_ += count_lines(text_.substr(offset_, next));
      offset_ += next;
    }
  }

 private:
  // Reads from offset_ to the end, or to a document that libyaml cannot parse or that is given up.
  // In the latter cases returns the line, counted from offset_.
  std::optional<uint32_t> read_stream() {
    Parser parser(text_.substr(offset_));
    document_line_ = 0;
    std::optional<YamlDocument> building;
    bool started = false;
    while (true) {
      Event event;
      if (yaml_parser_parse(parser.get(), event.get()) == 0) {
        // An error before the first document of this stream belongs to the next document.
        if (!building) document_.set_number(++number_);
        return report_syntax(*parser.get());
      }
      switch ((*event).type) {
        case YAML_STREAM_END_EVENT:
          return std::nullopt;
        case YAML_DOCUMENT_START_EVENT:
          document_line_ = static_cast<uint32_t>((*event).start_mark.line);
          document_.set_number(++number_);
          building.emplace(document_, sink_, line_ + 1, copies_left_);
          started = true;
          break;
        case YAML_DOCUMENT_END_EVENT:
          if (started && building->finish()) emit();
          building.reset();
          if (sink_.progress)
            sink_.progress(static_cast<int64_t>(offset_ + (*event).end_mark.index));
          break;
        default:
          if (building) building->take(*event);
          if (building && building->given_up()) {
            return static_cast<uint32_t>((*event).start_mark.line);
          }
      }
    }
  }

  void emit() {
    if (document_.root().absent()) return;
    sink_.document(document_, {});
  }

  void report(std::string found, int64_t line) {
    sink_.diagnostics->push_back({.file = std::string(sink_.file),
                                  .document = document_.number(),
                                  .line = line,
                                  .found = std::move(found)});
  }

  uint32_t report_syntax(const yaml_parser_t& parser) {
    uint32_t line = static_cast<uint32_t>(parser.problem_mark.line);
    std::string problem = parser.problem == nullptr ? "cannot be read" : parser.problem;
    if (parser.error == YAML_READER_ERROR) {
      std::string_view read = text_.substr(offset_);
      line = count_lines(read.substr(0, parser.problem_offset));
    } else if (parser.error == YAML_MEMORY_ERROR) {
      problem = "out of memory";
    } else if (parser.context != nullptr) {
      problem += " (" + std::string(parser.context);
      if (parser.context_mark.line != parser.problem_mark.line) {
        problem += ", from line " + std::to_string(line_ + parser.context_mark.line + 1);
      }
      problem += ")";
    }
    report("YAML syntax: " + problem + std::string(hint(line, problem)), int64_t{line_} + line + 1);
    return line;
  }

  // The most frequent cause of an error for which libyaml reports only what it expected. `line` is
  // counted from offset_.
  std::string_view hint(uint32_t line, std::string_view problem) const {
    std::string_view rest = text_.substr(offset_);
    for (; line > 0 && rest.find('\n') != std::string_view::npos; --line) {
      rest.remove_prefix(rest.find('\n') + 1);
    }
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.starts_with('\t')) return ": indent with spaces, not with tabs";
    bool key_missed = problem.starts_with("did not find expected key");
    return key_missed ? ": is the line indented like its neighbours?" : "";
  }

  std::string_view text_;
  const ReadSink& sink_;
  size_t copies_left_;  // for all documents of the text
  Document document_;
  size_t offset_ = 0;           // the start of the current stream
  uint32_t line_ = 0;           // lines before offset_
  uint32_t document_line_ = 0;  // the first line of its last document, counted from offset_
  int64_t number_ = 0;
};

}  // namespace

void read_yaml(std::string_view text, const ReadSink& sink) { YamlReader(text, sink).run(); }

}  // namespace trellis
