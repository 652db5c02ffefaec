#include "cel/signatures.h"

#include <map>
#include <utility>

#include "cel/functions.h"

namespace trellis::cel {
namespace {

struct KnownName {
  std::string_view name;
  Kind kind;
};

constexpr KnownName kKnownNames[] = {
    {"null", Kind::Null},         {"bool", Kind::Bool},         {"int", Kind::Int},
    {"uint", Kind::Uint},         {"double", Kind::Double},     {"string", Kind::String},
    {"bytes", Kind::Bytes},       {"duration", Kind::Duration}, {"timestamp", Kind::Timestamp},
    {"quantity", Kind::Quantity}, {"semver", Kind::Semver},     {"ip", Kind::Ip},
    {"cidr", Kind::Cidr},         {"url", Kind::Url},           {"format", Kind::Format},
};

// Reads "list<A>, int: A; string: int".
class SignatureReader {
 public:
  SignatureReader(std::string_view text, Types& types) : text_(text), types_(types) {}

  std::vector<Signature> run() {
    std::vector<Signature> signatures;
    while (!text_.empty()) {
      for (TypeIndex& parameter : parameters_) parameter = 0;
      Signature signature;
      while (!take(": ")) {
        signature.arguments.push_back(type());
        take(", ");
      }
      signature.result = type();
      take("; ");
      signatures.push_back(std::move(signature));
    }
    return signatures;
  }

 private:
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the signatures of the tables.
  TypeIndex type() {
    if (take("A")) return parameter(0);
    if (take("B")) return parameter(1);
    if (take("dyn")) return types_.dyn();
    if (take("list<")) return closed(types_.list(type()));
    if (take("optional<")) return closed(types_.optional(type()));
    if (take("type<")) return closed(types_.type_of(type()));
    if (take("map<")) {
      TypeIndex key = type();
      take(", ");
      return closed(types_.map(key, type()));
    }
    size_t end = text_.find_first_of(",:;>");
    std::string_view name = text_.substr(0, end);
    text_.remove_prefix(name.size());
    for (const KnownName& known : kKnownNames) {
      if (known.name == name) return types_.of(known.kind);
    }
    return types_.dyn();
  }

  TypeIndex closed(TypeIndex type) {
    take(">");
    return type;
  }

  TypeIndex parameter(size_t which) {
    if (parameters_[which] == 0) parameters_[which] = types_.parameter();
    return parameters_[which];
  }

  std::string_view text_;
  Types& types_;
  TypeIndex parameters_[2] = {0, 0};
};

using Key = std::pair<std::string_view, bool>;
using Index = std::map<Key, std::vector<const Function*>>;

Index make_index() {
  Index index;
  for (std::span<const Function> table : all_functions()) {
    for (const Function& function : table) {
      index[{function.name, function.member}].push_back(&function);
    }
  }
  return index;
}

const Index& index_of_functions() {
  static const Index index = make_index();
  return index;
}

}  // namespace

std::span<const Function* const> functions_of(std::string_view name, bool member) {
  const Index& index = index_of_functions();
  auto found = index.find({name, member});
  if (found == index.end()) return {};
  return found->second;
}

bool is_function(std::string_view name) {
  return !functions_of(name, false).empty() || !functions_of(name, true).empty();
}

std::vector<Signature> signatures_of(const Function& function, Types& types) {
  return SignatureReader(function.signatures, types).run();
}

}  // namespace trellis::cel
