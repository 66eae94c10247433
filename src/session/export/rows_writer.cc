#include "session/export/rows_writer.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "output/csv/report_csv.h"

namespace peregrine {

void RowsWriter::expect(const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::ranges::find(expected_, *name) != expected_.end()) continue;
    // Inserted after the name that precedes it in its table, so that related columns stay together.
    const auto before = name == names.begin() ? expected_.end() : std::ranges::find(expected_, *std::prev(name));
    expected_.insert(before == expected_.end() ? before : before + 1, *name);
  }
}

void RowsWriter::print_csv(const NamedRows& table) {
  if (expected_.empty() || expected_ == table.names) return print_report_csv(out_, table, first_);
  std::vector<std::size_t> places;  // position of each of the table's columns among the expected ones
  for (const std::string& name : table.names)
    places.push_back(static_cast<std::size_t>(std::ranges::find(expected_, name) - expected_.begin()));
  std::vector<RowValue> aligned;
  NamedRows all{
      .event = table.event, .samples = table.samples, .period = table.period, .names = expected_, .size = table.size};
  all.row = [&](std::size_t at) -> const std::vector<RowValue>* {
    const std::vector<RowValue>* const own = table.row(at);
    if (own == nullptr) return nullptr;
    aligned.assign(expected_.size(), RowValue());
    for (std::size_t column = 0; column < places.size(); ++column)
      if (places[column] < aligned.size()) aligned[places[column]] = (*own)[column];
    return &aligned;
  };
  print_report_csv(out_, all, first_);
}

}  // namespace peregrine
