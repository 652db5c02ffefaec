#include "cel/parser.h"

#include <algorithm>
#include <utility>

#include "cel/lexer.h"
#include "cel/macros.h"

namespace trellis::cel {
namespace {

constexpr std::string_view kReserved[] = {
    "as",        "break", "const",  "continue", "else", "false", "for",
    "function",  "if",    "import", "in",       "let",  "loop",  "package",
    "namespace", "null",  "return", "true",     "var",  "void",  "while",
};

bool is_reserved(std::string_view word) {
  return std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved);
}

int rank_of(std::string_view symbol) {
  if (symbol == "==" || symbol == "!=" || symbol == "<" || symbol == "<=" || symbol == ">" ||
      symbol == ">=" || symbol == "in") {
    return 1;
  }
  if (symbol == "+" || symbol == "-") return 2;
  return symbol == "*" || symbol == "/" || symbol == "%" ? 3 : 0;
}

// NOLINTBEGIN(misc-no-recursion): an expression that nests deeper than kDeepest is refused.
class Parser {
 public:
  explicit Parser(Tokens tokens) : tokens_(std::move(tokens)) {
    parsed_.complaint = std::move(tokens_.complaint);
  }

  Parsed run() {
    NodeIndex root = expression();
    if (token().kind != TokenKind::End) unexpected();
    parsed_.tree.root = root;
    return std::move(parsed_);
  }

 private:
  const Token& token() const { return tokens_.list[at_]; }
  bool is(std::string_view text) const {
    bool word = token().kind == TokenKind::Symbol || token().kind == TokenKind::Identifier;
    return word && token().text == text;
  }
  bool failed() const { return parsed_.complaint.found(); }

  bool take(std::string_view text) {
    if (!is(text)) return false;
    step();
    return true;
  }

  void step() {
    if (at_ + 1 < tokens_.list.size()) ++at_;
  }

  void complain(std::string why, uint32_t position) {
    if (!failed()) parsed_.complaint = {std::move(why), position};
  }

  void unexpected() {
    std::string what = token().kind == TokenKind::End ? "<EOF>" : std::string(token().text);
    complain("Syntax error: mismatched input '" + what + "'", token().position);
    at_ = tokens_.list.size() - 1;
  }

  void too_long() {
    complain("expression is too long a chain (at most 248 links)", token().position);
    at_ = tokens_.list.size() - 1;
  }

  void expect(std::string_view text) {
    if (!take(text)) unexpected();
  }

  NodeIndex add(Node node) {
    parsed_.tree.nodes.push_back(std::move(node));
    return static_cast<NodeIndex>(parsed_.tree.nodes.size() - 1);
  }

  NodeIndex constant(Value value, uint32_t position) {
    Node node{.position = position};
    node.constant = std::move(value);
    return add(std::move(node));
  }

  NodeIndex call(std::string_view name, uint32_t position, std::vector<NodeIndex> children) {
    Node node{.kind = NodeKind::Call, .position = position, .text = std::string(name)};
    node.children = std::move(children);
    return add(std::move(node));
  }

  NodeIndex expression() {
    if (++depth_ > kDeepest) {
      complain("expression nests too deep (at most 250 levels)", token().position);
      at_ = tokens_.list.size() - 1;
    }
    NodeIndex condition = logic(NodeKind::Or);
    if (is("?")) {
      uint32_t position = token().position;
      step();
      NodeIndex yes = logic(NodeKind::Or);
      expect(":");
      NodeIndex no = expression();
      Node node{.kind = NodeKind::Conditional, .position = position};
      node.children = {condition, yes, no};
      condition = add(std::move(node));
    }
    --depth_;
    return condition;
  }

  // Chains of one sign are one node, so that long ones are not deep.
  NodeIndex logic(NodeKind kind) {
    std::string_view sign = kind == NodeKind::Or ? "||" : "&&";
    auto part = [&] { return kind == NodeKind::Or ? logic(NodeKind::And) : operation(1); };
    Node node{.kind = kind, .position = token().position};
    node.children.push_back(part());
    while (!failed() && take(sign)) node.children.push_back(part());
    return node.children.size() == 1 ? node.children[0] : add(std::move(node));
  }

  NodeIndex operation(int rank) {
    NodeIndex left = rank < 3 ? operation(rank + 1) : unary();
    int links = 0;
    while (!failed() && rank_of(word()) == rank) {
      if (++links > kLongestChain) too_long();
      std::string_view sign = token().text;
      uint32_t position = token().position;
      step();
      NodeIndex right = rank < 3 ? operation(rank + 1) : unary();
      left = call(sign, position, {left, right});
    }
    return left;
  }

  // A symbol or `in`; else nothing.
  std::string_view word() const {
    return token().kind == TokenKind::Symbol || is("in") ? token().text : std::string_view();
  }

  NodeIndex unary() {
    uint32_t position = token().position;
    std::string_view sign = is("!") ? "!" : "-";
    int signs = 0;
    while (take(sign)) ++signs;
    if (signs == 0) return member();
    bool odd = signs % 2 == 1;
    if (odd && sign == "-" && (token().kind == TokenKind::Integer || is_double())) {
      return member(position);
    }
    NodeIndex operand = member();
    return odd ? call(sign == "-" ? "-_" : "!", position, {operand}) : operand;
  }

  bool is_double() const {
    return token().kind == TokenKind::Literal && token().value.is(Kind::Double);
  }

  static constexpr uint32_t kNoSign = UINT32_MAX;

  // `minus`: where a sign stands that belongs to the number which follows.
  NodeIndex member(uint32_t minus = kNoSign) {
    NodeIndex operand = primary(minus);
    int links = 0;
    while (!failed()) {
      if (++links > kLongestChain) too_long();
      uint32_t position = token().position;
      if (take(".")) {
        bool chained = take("?");
        operand = field(operand, chained, position);
      } else if (take("[")) {
        Node node{.kind = NodeKind::Index, .chained = take("?"), .position = position};
        node.children = {operand, expression()};
        expect("]");
        operand = add(std::move(node));
      } else {
        break;
      }
    }
    return operand;
  }

  NodeIndex field(NodeIndex operand, bool chained, uint32_t position) {
    if (token().kind != TokenKind::Identifier || token().text == "in" || token().text == "true" ||
        token().text == "false" || token().text == "null") {
      unexpected();
      return operand;
    }
    std::string name(token().text);
    step();
    if (!chained && is("(")) {
      position = token().position;
      step();
      Node node{.kind = NodeKind::Call, .member = true, .position = position, .text = name};
      node.children.push_back(operand);
      arguments(node.children, ")");
      return finish_call(std::move(node));
    }
    Node node{.kind = NodeKind::Select, .chained = chained, .position = position, .text = name};
    node.children = {operand};
    return add(std::move(node));
  }

  NodeIndex finish_call(Node node) {
    Complaint complaint;
    expand_macro(parsed_.tree, node, complaint);
    if (complaint.found()) complain(complaint.text, complaint.position);
    return add(std::move(node));
  }

  void arguments(std::vector<NodeIndex>& into, std::string_view end) {
    if (take(end)) return;
    do {
      into.push_back(expression());
    } while (!failed() && take(","));
    expect(end);
  }

  NodeIndex primary(uint32_t minus) {
    Token first = token();
    uint32_t position = minus == kNoSign ? first.position : minus;
    switch (first.kind) {
      case TokenKind::Integer: {
        step();
        Value value = integer_of(first.text, minus != kNoSign);
        if (value.failed()) complain(value.text(), position);
        return constant(std::move(value), position);
      }
      case TokenKind::Literal:
        step();
        if (minus != kNoSign) return constant(Value::number(-first.value.double_value()), position);
        return constant(first.value, position);
      case TokenKind::Identifier:
        return name(first);
      default:
        break;
    }
    if (take("(")) {
      NodeIndex inner = expression();
      expect(")");
      return inner;
    }
    if (take("[")) return list(position);
    if (take("{")) return map(position);
    if (take(".") && token().kind == TokenKind::Identifier) return name(token());
    unexpected();
    return constant(Value::null(), position);
  }

  NodeIndex name(const Token& first) {
    std::string_view text = first.text;
    if (text == "true" || text == "false") {
      step();
      return constant(Value::boolean(text == "true"), first.position);
    }
    if (text == "null") {
      step();
      return constant(Value::null(), first.position);
    }
    if (is_reserved(text)) {
      complain("reserved identifier: " + std::string(text), first.position);
      return constant(Value::null(), first.position);
    }
    Node node{.kind = NodeKind::Name, .position = first.position, .text = std::string(text)};
    step();
    if (!is("(")) return add(std::move(node));
    node.kind = NodeKind::Call;
    node.position = token().position;
    step();
    arguments(node.children, ")");
    return finish_call(std::move(node));
  }

  NodeIndex list(uint32_t position) {
    Node node{.kind = NodeKind::ListOf, .position = position};
    while (!failed() && !is("]")) {
      node.optional.push_back(take("?"));
      node.children.push_back(expression());
      if (!take(",")) break;
    }
    expect("]");
    return add(std::move(node));
  }

  NodeIndex map(uint32_t position) {
    Node node{.kind = NodeKind::MapOf, .position = position};
    while (!failed() && !is("}")) {
      node.optional.push_back(take("?"));
      node.children.push_back(expression());
      expect(":");
      node.children.push_back(expression());
      if (!take(",")) break;
    }
    expect("}");
    return add(std::move(node));
  }

  Tokens tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  Parsed parsed_;
};
// NOLINTEND(misc-no-recursion)

// A chain of `+` or of fields makes a deep tree of a text that does not nest.
bool is_too_deep(const Tree& tree) {
  // Children stand before their parents.
  std::vector<int> depth(tree.nodes.size(), 1);
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    for (NodeIndex child : tree.nodes[i].children) {
      depth[i] = std::max(depth[i], depth[child] + 1);
    }
    if (depth[i] > kDeepestTree) return true;
  }
  return false;
}

}  // namespace

Parsed parse_expression(std::string_view text) {
  Parsed parsed = Parser(read_tokens(text)).run();
  if (!parsed.complaint.found() && is_too_deep(parsed.tree)) {
    parsed.complaint = {"expression is too long a chain (at most 1000 operations)", 0};
  }
  return parsed;
}

}  // namespace trellis::cel
