// Address filters: translates the user's syntax for which code a hardware tracer (intel_pt, cs_etm) records to the
// kernel's.
//
//   filters := one ((',' | ' ') one)*        one := ACTION place ['/' end] ['@' FILE]
//   ACTION  := filter (trace this region) | start (from here) | stop (from here) | tracestop (in this region)
//   place   := NUMBER | SYMBOL ['#' N | '#g'] | '*' (the whole FILE or kernel)
//   end     := BYTES | SYMBOL ['#' N | '#g']
//
// Without a FILE, addresses are the kernel's; with one, they are file offsets. A region that starts at a symbol ends
// with it, or with the symbol of `end`. Symbols are delimited by spaces and may contain any other character. #g selects
// the global symbol among several, #2 the second by address.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/term.h"
#include "symbol/table/symbol_table.h"
#include "sys/root.h"

namespace peregrine {

// Looks up symbols.
class CodeSymbols {
 public:
  virtual ~CodeSymbols() = default;
  // The file as the kernel should open it. Errors: NotFound; a path the kernel cannot be given.
  virtual Result<std::string> place_of(std::string_view file) = 0;
  // By address; "" means the kernel. Errors: reading the file.
  virtual Result<std::vector<Symbol>> named(const std::string& file, std::string_view name) = 0;
  // From the first symbol to the end of the last.
  virtual Result<Symbol> whole(const std::string& file) = 0;
};

// This system's files and its /proc/kallsyms.
std::unique_ptr<CodeSymbols> system_code_symbols(const Root& root);

struct AddressFilters {
  std::string text;  // "filter 0x1139/0x16@/usr/bin/prog,…"
  std::size_t count = 0;
};

Parsed<AddressFilters> address_filters(std::string_view text, CodeSymbols& symbols);

// Whether `text` starts with an action of an address filter.
bool looks_like_address_filter(std::string_view text);

}  // namespace peregrine
