#include "output/csv/io_csv.h"

#include <cstddef>
#include <string>
#include <vector>

#include "output/csv/csv_text.h"

namespace peregrine {

namespace {

void print_io_leaves(const IoNode& node, std::vector<std::string>& labels, std::string_view separator, Sink& out) {
  for (const IoNode& part : node.parts) {
    labels.push_back(csv_field(part.label, separator));
    if (part.parts.empty()) {
      for (const std::string& label : labels) out.format("{}{}", label, separator);
      for (const IoOrder& figure : kIoOrders)
        out.format("{}{}", part.sums.*figure.value, &figure == &kIoOrders.back() ? "\n" : separator);
    }
    print_io_leaves(part, labels, separator, out);
    labels.pop_back();
  }
}

}  // namespace

void print_io_csv(const IoNode& tree, std::span<const IoKey> keys, std::string_view separator, Sink& out) {
  for (const IoKey key : keys) out.format("{}{}", kIoKeys[static_cast<std::size_t>(key)], separator);
  for (const IoOrder& figure : kIoOrders)
    out.format("{}{}", figure.name, &figure == &kIoOrders.back() ? "\n" : separator);
  std::vector<std::string> labels;
  print_io_leaves(tree, labels, separator, out);
}

}  // namespace peregrine
