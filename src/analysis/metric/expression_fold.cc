// Folding: substitutes the facts about the machine and drops branches that cannot be taken, so that only needed events
// are counted. "A if #smt_on else B" needs either A or B.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/expression.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

namespace {
using Op = MetricExpression::Op;
using Node = MetricExpression::Node;
}  // namespace

class ExpressionFolder {
 public:
  ExpressionFolder(const MetricExpression& from, const MetricFacts& facts) : from_(from), facts_(facts) {}

  Result<MetricExpression> folded() {
    // An unknown literal is an error only if its branch is needed, so keep it until the branches are known.
    for (const Node& node : from_.nodes_) places_.push_back(fold(node));
    const u32 root = places_.back();
    std::vector<bool> needed(nodes_.size(), false);
    needed[root] = true;
    for (std::size_t i = root + std::size_t{1}; i-- > 0;)
      if (needed[i]) mark_operands(nodes_[i], needed);
    MetricExpression made;
    std::vector<u32> moved(nodes_.size());
    for (std::size_t i = 0; i <= root; ++i) {
      if (!needed[i]) continue;
      if (nodes_[i].op == Op::Literal)
        return fail(ErrorKind::Unsupported, "'{}' is not available here", from_.names_[nodes_[i].first]);
      moved[i] = static_cast<u32>(made.nodes_.size());
      made.nodes_.push_back(relocated(nodes_[i], moved, made));
    }
    return made;
  }

 private:
  static bool is_leaf(Op op) { return op <= Op::Literal; }
  static bool has_name(Op op) { return is_leaf(op) && op != Op::Number; }

  void mark_operands(const Node& node, std::vector<bool>& needed) const {
    if (is_leaf(node.op)) return;
    needed[node.first] = true;
    if (node.op != Op::Negate) needed[node.second] = true;
    if (node.op == Op::If) needed[node.third] = true;
  }

  Node relocated(Node node, const std::vector<u32>& moved, MetricExpression& made) const {
    if (has_name(node.op)) {
      const std::string& name = from_.names_[node.first];
      auto found = std::ranges::find(made.names_, name);
      if (found == made.names_.end()) found = made.names_.insert(found, name);
      node.first = static_cast<u32>(found - made.names_.begin());
    } else if (node.op != Op::Number) {
      node.first = moved[node.first];
      node.second = moved[node.second];
      node.third = moved[node.third];
    }
    return node;
  }

  u32 add(Node node) {
    nodes_.push_back(node);
    return static_cast<u32>(nodes_.size() - 1);
  }
  u32 number(double value) { return add({.op = Op::Number, .number = value}); }
  bool is_number(u32 index) const { return nodes_[index].op == Op::Number; }
  bool is_number(u32 index, double value) const { return is_number(index) && nodes_[index].number == value; }

  // Index in nodes_ of the node, or of a simpler equivalent.
  u32 fold(const Node& node) {
    switch (node.op) {
      case Op::Number:
      case Op::Id:
      case Op::SourceCount:
        return add(node);
      case Op::HasEvent:
        return number(facts_.has_event(from_.names_[node.first]) ? 1 : 0);
      case Op::IsCpu:
        return number(facts_.is_cpu(from_.names_[node.first]) ? 1 : 0);
      case Op::Literal: {
        const auto known = facts_.literal(std::string_view(from_.names_[node.first]).substr(1));
        return known ? number(*known) : add(node);
      }
      default:
        return fold_operation(node);
    }
  }

  u32 fold_operation(const Node& node) {
    const u32 first = places_[node.first], second = places_[node.second], third = places_[node.third];
    if (node.op == Op::If && is_number(second)) return nodes_[second].number != 0 ? first : third;
    if (node.op == Op::And && (is_number(first, 0) || is_number(second, 0))) return number(0);
    if (node.op == Op::Or && (is_number(first, 1) || is_number(second, 1)) && yields_truth(first) &&
        yields_truth(second))
      return number(1);
    const bool constant =
        is_number(first) && (node.op == Op::Negate || is_number(second)) && (node.op != Op::If || is_number(third));
    if (constant) {
      const double value = apply_operation(node.op, nodes_[first].number, nodes_[second].number, nodes_[third].number);
      if (!std::isnan(value)) return number(value);
    }
    return add({.op = node.op, .first = first, .second = second, .third = third});
  }

  // Whether the value is 0 or 1, as comparisons yield. Only then is "1 | x" equal to 1.
  bool yields_truth(u32 index) const {
    const Node& node = nodes_[index];
    return (node.op >= Op::Less && node.op <= Op::NotEqual) || is_number(index, 0) || is_number(index, 1);
  }

  const MetricExpression& from_;
  const MetricFacts& facts_;
  std::vector<u32> places_;  // by node of from_: its place in nodes_
  std::vector<Node> nodes_;
};

Result<MetricExpression> MetricExpression::fold(const MetricFacts& facts) const {
  if (nodes_.empty()) return fail(ErrorKind::Malformed, "empty metric expression");
  return ExpressionFolder(*this, facts).folded();
}

}  // namespace peregrine
