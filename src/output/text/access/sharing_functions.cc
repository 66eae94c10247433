#include "output/text/access/sharing_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/line_sharing.h"
#include "analysis/sharing/sharing_order.h"
#include "output/sink.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

constexpr std::size_t kFunctionIndent = 2;  // per level

class FunctionTableMaker {
 public:
  FunctionTableMaker(std::span<const ContendedFunction> functions, const SharingLook& look,
                     const std::function<bool(const FunctionPlace&)>& is_open)
      : functions_(functions), look_(look), is_open_(is_open) {
    for (const ContendedFunction& function : functions) {
      cycles_ += function.cycles;
      measure(*function.row, 0);
      for (const ContendingWriter& writer : function.writers) measure(*writer.row, 1);
    }
  }

  FunctionTable make() {
    table_.head = fmt::format("#{:>7}  {:>7}\n#{:>7}  {:>7}  {:>18}  {:<{}}  {:<{}}  Cacheline\n", "Cycles", "Store",
                              "%", "count", "Code address", "Symbol", symbol_, "Object", object_);
    for (std::size_t i = 0; i < functions_.size(); ++i) add_function({.function = i, .writer = {}, .line = {}});
    return std::move(table_);
  }

 private:
  void measure(const SharingRow& row, std::size_t level) {
    symbol_ = std::max(symbol_, text_of_symbol(row, {}, level).size());
    object_ = std::max(object_, printable(look_.object(row)).size());
  }

  // The indented symbol, marked "+" or "-" where rows can be expanded.
  std::string text_of_symbol(const SharingRow& row, const FunctionPlace& place, std::size_t level) const {
    const std::string mark = !is_open_ ? "" : is_open_(place) ? "- " : "+ ";
    return std::string(kFunctionIndent * level, ' ') + mark + printable(look_.symbol(row));
  }

  bool shows_below(const FunctionPlace& place) const { return !is_open_ || is_open_(place); }

  void add(const FunctionPlace& place, std::string row) {
    table_.rows.push_back(std::move(row));
    table_.places.push_back(place);
  }

  void add_function(const FunctionPlace& place) {
    const ContendedFunction& function = functions_[place.function];
    const double share = cycles_ == 0 ? 0 : 100 * function.cycles / cycles_;
    add(place, fmt::format("{:>7.2f}%  {:>7}  {:>#18x}  {:<{}}  {}", share, function.stores, function.row->code,
                           text_of_symbol(*function.row, place, 0), symbol_, printable(look_.object(*function.row))));
    if (!shows_below(place)) return;
    for (std::size_t i = 0; i < function.writers.size(); ++i)
      add_writer({.function = place.function, .writer = i, .line = {}}, function.writers[i]);
  }

  void add_writer(const FunctionPlace& place, const ContendingWriter& writer) {
    add(place, fmt::format("{:>8}  {:>7}  {:>#18x}  {:<{}}  {}", "", writer.stores, writer.row->code,
                           text_of_symbol(*writer.row, place, 1), symbol_, printable(look_.object(*writer.row))));
    if (!shows_below(place)) return;
    for (std::size_t i = 0; i < writer.lines.size(); ++i)
      add({.function = place.function, .writer = place.writer, .line = i},
          fmt::format("{:>8}  {:>7}  {:>18}  {:<{}}  {:<{}}  {:#x}", "", writer.lines[i].stores, "", "", symbol_, "",
                      object_, writer.lines[i].line->address));
  }

  std::span<const ContendedFunction> functions_;
  const SharingLook& look_;
  const std::function<bool(const FunctionPlace&)>& is_open_;
  double cycles_ = 0;  // of all functions
  std::size_t symbol_ = 6, object_ = 6;
  FunctionTable table_;
};

}  // namespace

FunctionTable table_of_functions(std::span<const ContendedFunction> functions, const SharingLook& look,
                                 const std::function<bool(const FunctionPlace&)>& is_open) {
  return FunctionTableMaker(functions, look, is_open).make();
}

std::string why_no_functions(const AccessCounts& all, SharingOrder order) {
  if (value_in_order(all, order) != 0) return "No function loads lines that another one writes";
  const std::string_view what = order == SharingOrder::LocalHitm    ? "local HITMs (-d lcl)"
                                : order == SharingOrder::RemoteHitm ? "remote HITMs (-d rmt)"
                                : order == SharingOrder::Peer       ? "loads from other cores' caches (-d peer)"
                                                                    : "HITMs (-d tot)";
  return fmt::format("No functions: the recording has no {}; choose another -d: tot, lcl, rmt or peer", what);
}

void print_shared_functions(std::span<const ContendedFunction> functions, const AccessCounts& all,
                            const SharingLook& look, Sink& out) {
  append_boxed(out, "           Shared Data Functions Table           ", '=');
  const FunctionTable table = table_of_functions(functions, look);
  out.append("#\n").append(table.head).append("#\n");
  for (const std::string& row : table.rows) out.append(row).append('\n');
  if (functions.empty()) out.append("# ").append(why_no_functions(all, look.order)).append('\n');
}

}  // namespace peregrine
