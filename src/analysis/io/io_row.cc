#include "analysis/io/io_row.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace peregrine {

namespace {

struct IoBranch {
  IoSums sums;
  std::map<std::string, IoBranch, std::less<>> parts;
};

std::string_view value_of(const IoRow& row, IoKey key) {
  if (key == IoKey::Process) return row.process;
  if (key == IoKey::File) return row.file;
  return kIoOperations[static_cast<std::size_t>(row.operation)];
}

// Larger first; of equal ones, those with more calls, then by label.
IoNode sorted_node(std::string label, const IoBranch& branch, u64 IoSums::* value) {
  IoNode node{.label = std::move(label), .sums = branch.sums, .parts = {}};
  for (const auto& [name, part] : branch.parts) node.parts.push_back(sorted_node(name, part, value));
  std::ranges::stable_sort(node.parts, [&](const IoNode& one, const IoNode& other) {
    return std::pair(one.sums.*value, one.sums.calls) > std::pair(other.sums.*value, other.sums.calls);
  });
  return node;
}

}  // namespace

void IoSums::add(const IoSums& other) {
  for (const IoOrder& figure : kIoOrders) this->*figure.value += other.*figure.value;
}

IoNode make_io_tree(std::span<const IoRow> rows, std::span<const IoKey> keys, const IoOrder& order) {
  IoBranch root;
  for (const IoRow& row : rows) {
    IoBranch* branch = &root;
    branch->sums.add(row.sums);
    for (const IoKey key : keys) {
      branch = &branch->parts[std::string(value_of(row, key))];
      branch->sums.add(row.sums);
    }
  }
  return sorted_node({}, root, order.value);
}

}  // namespace peregrine
