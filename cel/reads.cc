#include "cel/reads.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace trellis::cel {
namespace {

class Reader {
 public:
  explicit Reader(const Tree& tree) : tree_(tree), seen_(tree.nodes.size(), false) {}

  Reads run() {
    // Parents stand behind their children: what a parent accounts for is seen before its children.
    for (size_t i = tree_.nodes.size(); i > 0; --i) visit(tree_.nodes[i - 1], i - 1);
    std::sort(reads_.names.begin(), reads_.names.end());
    reads_.names.erase(std::unique(reads_.names.begin(), reads_.names.end()), reads_.names.end());
    return std::move(reads_);
  }

 private:
  const Node& node(NodeIndex index) const { return tree_.nodes[index]; }

  bool is_device(NodeIndex index) const {
    return node(index).kind == NodeKind::Name && node(index).slot < 0 &&
           node(index).text == "device";
  }

  // The name of a field or of a constant key.
  std::optional<std::string> key_of(const Node& at) const {
    if (at.kind == NodeKind::Select || at.kind == NodeKind::Presence) return at.text;
    if (at.kind != NodeKind::Index) return std::nullopt;
    const Node& key = node(at.children[1]);
    if (key.kind != NodeKind::Constant || !key.constant.is(Kind::String)) return std::nullopt;
    return key.constant.text();
  }

  // Marks `index` and, while they are chains, what is below it.
  void account(NodeIndex index) {
    while (true) {
      seen_[index] = true;
      const Node& at = node(index);
      bool chain = at.kind == NodeKind::Select || at.kind == NodeKind::Index;
      if (!chain) return;
      if (at.kind == NodeKind::Index) seen_[at.children[1]] = true;
      index = at.children[0];
    }
  }

  // device.attributes["domain"]: which map, and the domain.
  std::optional<ReadName> domain_of(NodeIndex index) {
    const Node& at = node(index);
    if (at.kind != NodeKind::Select && at.kind != NodeKind::Index) return std::nullopt;
    const Node& map = node(at.children[0]);
    if (map.kind != NodeKind::Select || !is_device(map.children[0])) return std::nullopt;
    if (map.text != "attributes" && map.text != "capacity") return std::nullopt;
    ReadName read{map.text == "capacity", "", ""};
    if (std::optional<std::string> key = key_of(at)) {
      read.domain = *key;
      return read;
    }
    const Node& key = node(at.children[1]);
    bool driver = key.kind == NodeKind::Select && !key.chained && key.text == "driver" &&
                  is_device(key.children[0]);
    if (!driver) return std::nullopt;
    seen_[key.children[0]] = true;
    reads_.driver = true;
    return read;
  }

  void read_name(ReadName read, std::string name, NodeIndex domain) {
    read.name = std::move(name);
    reads_.names.push_back(std::move(read));
    account(domain);
  }

  void visit(const Node& at, size_t index) {
    if (seen_[index]) return;
    if (is_device(static_cast<NodeIndex>(index))) {
      // No pattern below accounted for it.
      reads_.everything = true;
      return;
    }
    if (at.kind == NodeKind::Call && at.text == "in" && at.children.size() == 2) {
      const Node& key = node(at.children[0]);
      bool constant = key.kind == NodeKind::Constant && key.constant.is(Kind::String);
      std::optional<ReadName> read = constant ? domain_of(at.children[1]) : std::nullopt;
      if (read) read_name(std::move(*read), key.constant.text(), at.children[1]);
      return;
    }
    bool chain =
        at.kind == NodeKind::Select || at.kind == NodeKind::Presence || at.kind == NodeKind::Index;
    if (!chain) return;
    if (is_device(at.children[0])) return read_field(at);
    std::optional<std::string> name = key_of(at);
    std::optional<ReadName> read = name ? domain_of(at.children[0]) : std::nullopt;
    if (read) read_name(std::move(*read), std::move(*name), at.children[0]);
  }

  void read_field(const Node& at) {
    bool driver = at.text == "driver";
    bool sharing = at.text == "allowMultipleAllocations";
    if (!driver && !sharing) return;
    reads_.driver = reads_.driver || driver;
    reads_.sharing = reads_.sharing || sharing;
    seen_[at.children[0]] = true;
  }

  const Tree& tree_;
  std::vector<bool> seen_;
  Reads reads_;
};

}  // namespace

Reads reads_of(const Tree& tree) { return Reader(tree).run(); }

}  // namespace trellis::cel
