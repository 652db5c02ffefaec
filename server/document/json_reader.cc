#include "server/document/json_reader.h"

#include <cstdint>
#include <string>
#include <utility>

#include "server/document/json_scanner.h"

namespace trellis {
namespace {

// The number of broken values after which the rest of a text is not read, so that a text that is no
// JSON at all does not make a diagnostic for each line.
constexpr int kMaxBroken = 100;
constexpr size_t kProgressStep = 1 << 20;

class JsonReader {
 public:
  JsonReader(std::string_view text, const ReadSink& sink) : scanner_(text), sink_(sink) {}

  void run() {
    bool recovering = false;
    while (true) {
      // Brackets that close a broken list are no further error.
      while (recovering && (scanner_.take(',') || scanner_.take(']') || scanner_.take('}'))) {
      }
      scanner_.skip_space();
      if (scanner_.at_end()) return;
      ++number_;
      resume_ = scanner_.position();
      recovering = !read_root();
      if (!recovering) {
        give_back();
        continue;
      }
      report_error();
      if (++broken_ >= kMaxBroken) {
        report(scanner_.line(),
               "the rest is not read: " + std::to_string(broken_) + " values before are broken");
        return;
      }
      scanner_.move_to(resume_);
      if (!scanner_.move_to_next_start()) return;
    }
  }

 private:
  // Between two values at the top, nothing refers to the text before.
  void give_back() {
    constexpr size_t kConsumeStep = 4 << 20;
    if (!sink_.consumed || scanner_.offset() - consumed_ < kConsumeStep) return;
    document_.clear();
    root_.clear();
    ahead_.clear();
    head_ = {};
    consumed_ = scanner_.offset();
    sink_.consumed(consumed_);
  }

  bool read_root() {
    head_ = {};
    char c = scanner_.peek();
    if (c == '[') return read_items("$");
    if (c == '{') return read_root_object();
    DocumentBuilder builder(document_);
    document_.set_number(number_);
    document_.set_base_path("$");
    if (!scanner_.read_value(builder)) return false;
    emit(builder);
    return true;
  }

  bool read_root_object() {
    DocumentBuilder builder(root_);
    root_.set_number(number_);
    root_.set_base_path("$");
    builder.begin(ValueKind::Object, scanner_.line());
    scanner_.take('{');
    bool list = false;
    bool more = scanner_.peek() != '}';
    while (more) {
      scanner_.skip_space();
      uint32_t line = scanner_.line();
      std::string_view key;
      if (!scanner_.read_key(root_, key)) return false;
      if (key == "items" && !list && scanner_.peek() == '[') {
        list = true;
        builder.key(key, line);
        builder.null(line);
        if (!read_items("$.items")) return false;
      } else {
        builder.key(key, line);
        Value value(&root_, builder.size());
        if (!scanner_.read_value(builder)) return false;
        if (key == "kind") head_.kind = value.text();
        if (key == "apiVersion") head_.api_version = value.text();
      }
      more = scanner_.take(',');
      if (!more && scanner_.peek() != '}') return scanner_.fail("',' or '}'");
    }
    if (!scanner_.take('}')) return scanner_.fail("'}'");
    builder.end();
    if (list) {
      usable(builder);
    } else {
      emit(builder);
    }
    return true;
  }

  bool read_items(const std::string& path) {
    JsonScanner::Position start = scanner_.position();
    scanner_.take('[');
    bool more = scanner_.peek() != ']';
    for (size_t index = 0; more; ++index) {
      DocumentBuilder builder(document_);
      document_.set_number(number_);
      document_.set_base_path(path + "[" + std::to_string(index) + "]");
      scanner_.skip_space();
      JsonScanner::Position item = scanner_.position();
      if (!scanner_.read_value(builder)) {
        if (!skip_broken(item)) return false;
      } else {
        look_ahead(start);
        emit(builder);
      }
      resume_ = scanner_.position();
      more = scanner_.take(',');
      if (!more && scanner_.peek() != ']') return scanner_.fail("',' or ']'");
    }
    scanner_.take(']');
    return true;
  }

  // Skips an item that cannot be read, if its brackets show where it ends.
  bool skip_broken(JsonScanner::Position item) {
    JsonScanner::Position error = scanner_.position();
    scanner_.move_to(item);
    bool container = scanner_.peek() == '{' || scanner_.peek() == '[';
    bool skipped = container && scanner_.skip_balanced();
    char next = skipped ? scanner_.peek() : '\0';
    JsonScanner::Position behind = scanner_.position();
    scanner_.move_to(error);
    if ((next != ',' && next != ']') || ++broken_ >= kMaxBroken) return false;
    report_error();
    scanner_.move_to(behind);
    return true;
  }

  // An item without a kind takes the list's kind, which may follow the items in the text.
  void look_ahead(JsonScanner::Position items) {
    if (!head_.kind.empty() || !document_.root()["kind"].absent()) return;
    JsonScanner::Position here = scanner_.position();
    scanner_.move_to(items);
    bool in_list = !root_.empty() && document_.base_path().starts_with("$.");
    if (in_list && scanner_.skip_balanced()) {
      while (scanner_.take(',')) {
        DocumentBuilder builder(ahead_);
        std::string_view key;
        if (!scanner_.read_key(ahead_, key) || !scanner_.read_value(builder)) break;
        if (key == "kind") kind_ahead_ = ahead_.root().text();
        if (key == "apiVersion") api_version_ahead_ = ahead_.root().text();
      }
      if (!kind_ahead_.empty()) head_.kind = kind_ahead_;
      if (!api_version_ahead_.empty()) head_.api_version = api_version_ahead_;
    }
    if (head_.kind.empty()) head_.kind = "List";  // so that one look ahead is enough
    scanner_.move_to(here);
  }

  // Reports keys that occur twice; false when there are any.
  bool usable(const DocumentBuilder& builder) {
    const Document& document = builder.document();
    size_t listed = 0;
    for (const DocumentBuilder::DuplicateKey& key : builder.duplicates()) {
      if (++listed > DocumentBuilder::kMostDuplicates) {
        size_t more = builder.duplicates().size() - DocumentBuilder::kMostDuplicates;
        report(document.element(key.second).line,
               std::to_string(more) + " more keys a second time");
        sink_.diagnostics->back().expected = "each key once";
        break;
      }
      report(document.element(key.second).line,
             "the key " + in_quotes(document.element(key.second).view()) + " a second time");
      Diagnostic& diagnostic = sink_.diagnostics->back();
      diagnostic.path = document.path(key.second);
      diagnostic.expected = "each key once (the first is at line " +
                            std::to_string(document.element(key.first).line) + ")";
    }
    return builder.duplicates().empty();
  }

  void emit(DocumentBuilder& builder) {
    Document& document = builder.document();
    if (usable(builder) && !document.root().absent()) sink_.document(document, head_);
    if (sink_.progress && scanner_.offset() - progress_ >= kProgressStep) {
      progress_ = scanner_.offset();
      sink_.progress(static_cast<int64_t>(progress_));
    }
  }

  void report(int64_t line, std::string found) {
    sink_.diagnostics->push_back({.file = std::string(sink_.file),
                                  .document = number_,
                                  .line = line,
                                  .found = std::move(found)});
  }

  void report_error() {
    report(scanner_.line(), scanner_.error().found);
    sink_.diagnostics->back().expected = scanner_.error().expected;
  }

  JsonScanner scanner_;
  const ReadSink& sink_;
  Document root_;      // a root object, without its items
  Document document_;  // an item, or a root that is a scalar
  Document ahead_;
  ListHead head_;
  std::string kind_ahead_;
  std::string api_version_ahead_;
  JsonScanner::Position resume_{};  // where the search for the next start begins after an error
  int64_t number_ = 0;
  int broken_ = 0;
  size_t progress_ = 0;
  size_t consumed_ = 0;
};

}  // namespace

void read_json(std::string_view text, const ReadSink& sink) { JsonReader(text, sink).run(); }

}  // namespace trellis
