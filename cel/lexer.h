// The words of an expression.
#pragma once

#include <string_view>
#include <vector>

#include "cel/ast.h"

namespace trellis::cel {

enum class TokenKind : uint8_t {
  End,
  // Also words that are reserved.
  Identifier,
  // A value: int, uint, double, string or bytes.
  Literal,
  // A digit sequence; its value is known once a sign before it is.
  Integer,
  Symbol,
};

struct Token {
  TokenKind kind = TokenKind::End;
  uint32_t position = 0;
  // As written; of a Symbol: "&&", "[", ...
  std::string_view text;
  Value value;
};

struct Tokens {
  std::vector<Token> list;
  Complaint complaint;
};

// The last token is End. Cost: linear.
Tokens read_tokens(std::string_view text);

// An integer as written ("12", "0x1F"), with its sign. An error when it has more than 64 bits.
Value integer_of(std::string_view text, bool negative);

}  // namespace trellis::cel
