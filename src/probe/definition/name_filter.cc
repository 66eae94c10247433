#include "probe/definition/name_filter.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <cctype>
#include <cstddef>
#include <expected>
#include <utility>

namespace peregrine {

class NameFilterParser {
 public:
  NameFilterParser(std::string_view text, NameFilter& filter) : text_(text), filter_(filter) {}

  Result<std::size_t> parse() {
    auto root = any(0);
    if (root && peek() != 0) return wrong(fmt::format("unexpected '{}'", text_[at_]));
    return root;
  }

 private:
  static constexpr unsigned kDeepest = 100;
  using Kind = NameFilter::Kind;

  std::unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorKind::Usage, "filter '{}', character {}: {}", text_, at_ + 1, what);
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::size_t add(Kind kind, std::string glob, std::size_t left, std::size_t right) {
    filter_.nodes_.push_back({kind, std::move(glob), left, right});
    return filter_.nodes_.size() - 1;
  }

  Result<std::size_t> any(unsigned depth) { return chain(depth, '|'); }

  // '&' binds tighter than '|'.
  Result<std::size_t> chain(unsigned depth, char mark) {
    const auto part = [&] { return mark == '|' ? chain(depth, '&') : one(depth); };
    auto left = part();
    while (left && peek() == mark) {
      ++at_;
      const auto right = part();
      if (!right) return right;
      left = add(mark == '|' ? Kind::Or : Kind::And, {}, *left, *right);
    }
    return left;
  }

  Result<std::size_t> one(unsigned depth) {
    if (depth > kDeepest) return wrong("too many parentheses or '!'");
    if (peek() == '!') {
      ++at_;
      const auto inner = one(depth + 1);
      return inner ? Result<std::size_t>(add(Kind::Not, {}, *inner, 0)) : inner;
    }
    if (peek() == '(') {
      ++at_;
      auto inner = any(depth + 1);
      if (!inner) return inner;
      if (peek() != ')') return wrong("missing ')'");
      ++at_;
      return inner;
    }
    std::string glob;
    for (char c = peek(); at_ < text_.size(); c = at_ < text_.size() ? text_[at_] : '\0') {
      if (c == '&' || c == '|' || c == ')' || c == '(' || std::isspace(static_cast<unsigned char>(c)) != 0) break;
      if (c == '\\' && at_ + 1 < text_.size()) glob += text_[at_++];
      glob += text_[at_++];
    }
    if (glob.empty()) return wrong("expected a name or glob");
    return add(Kind::Glob, std::move(glob), 0, 0);
  }

  std::string_view text_;
  NameFilter& filter_;
  std::size_t at_ = 0;
};

Result<NameFilter> NameFilter::parse(std::string_view text) {
  NameFilter filter;
  const auto root = NameFilterParser(text, filter).parse();
  if (!root) return std::unexpected(root.error());
  filter.root_ = *root;
  return filter;
}

bool NameFilter::accepts(std::size_t node, const std::string& name) const {
  const Node& at = nodes_[node];
  switch (at.kind) {
    case Kind::Glob:
      return ::fnmatch(at.glob.c_str(), name.c_str(), 0) == 0;
    case Kind::Not:
      return !accepts(at.left, name);
    case Kind::And:
      return accepts(at.left, name) && accepts(at.right, name);
    case Kind::Or:
      return accepts(at.left, name) || accepts(at.right, name);
  }
  return false;
}

}  // namespace peregrine
