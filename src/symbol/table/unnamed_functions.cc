// SymbolTableBuilder::add_unnamed(): adds functions without a symbol between the symbols of a table.
#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "symbol/table/function_extent.h"
#include "symbol/table/symbol_table.h"
#include "symbol/table/symbol_table_builder.h"

namespace peregrine {

SymbolTable SymbolTableBuilder::add_unnamed(SymbolTable table, std::string_view program,
                                            std::span<const FunctionExtent> functions) {
  SymbolTable joined;
  joined.copied_ = std::move(table.copied_);
  std::vector<u32> new_index(table.size());
  u64 covered = 0;  // everything before this belongs to a symbol or was passed
  u32 next = 0;     // next symbol of `table`
  const auto add = [&](u64 start, u64 end, u32 name, u8 kind) {
    joined.starts_.push_back(start);
    joined.ends_.push_back(end);
    joined.names_.push_back(name);
    joined.kinds_.push_back(kind);
  };
  const auto take_symbol = [&] {
    const u64 end = table.end(SymbolIndex(next));
    new_index[next] = static_cast<u32>(joined.size());
    covered = std::max({covered, end, table.starts_[next] + 1});
    add(table.starts_[next], end, table.names_[next], table.kinds_[next]);
    ++next;
  };
  for (const FunctionExtent& function : functions) {
    while (next < table.size() && table.starts_[next] <= function.start) take_symbol();
    if (function.start < covered || joined.copied_.size() >= kTextLimit) continue;
    const u64 end = next < table.size() ? std::min(function.end, table.starts_[next]) : function.end;
    const auto place = static_cast<u32>(joined.copied_.size());
    joined.copied_.append(unnamed_function(program, function.start)).push_back('\0');
    add(function.start, end, place | SymbolTable::kCopied, static_cast<u8>(SymbolType::Function) << 4);
  }
  while (next < table.size()) take_symbol();
  joined.segments_ = std::move(table.segments_);
  for (SymbolTable::Segment& segment : joined.segments_)
    if (segment.symbol != SymbolTable::kNobody && segment.symbol != SymbolTable::kNoOverlap)
      segment.symbol = new_index[segment.symbol];
  joined.text_ = std::move(table.text_);
  joined.build_index();
  return joined;
}

}  // namespace peregrine
