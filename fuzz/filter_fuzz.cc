// A sample filter, an address filter, or a tracepoint filter: accepted filters must be accepted again in their written
// form and have the same meaning.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "abi/sample_filter.h"
#include "base/bytes.h"
#include "base/result.h"
#include "event/field/trace_format.h"
#include "event/filter/address_filter.h"
#include "event/filter/filter_text.h"
#include "event/filter/sample_filter.h"
#include "input.h"
#include "symbol/table/symbol_table.h"

namespace {

using namespace peregrine;

// A single file in which every name is a symbol.
class AnySymbol : public CodeSymbols {
 public:
  Result<std::string> place_of(std::string_view) override { return std::string("/f"); }
  Result<std::vector<Symbol>> named(const std::string&, std::string_view name) override {
    std::vector<Symbol> found(name.size() % 4);
    for (std::size_t i = 0; i < found.size(); ++i) found[i].end = (found[i].start = 16 * i) + name.size();
    return found;
  }
  Result<Symbol> whole(const std::string&) override { return Symbol{}; }
};

// The kernel's form must have the same meaning when parsed again.
void try_addresses(std::string_view text) {
  AnySymbol symbols;
  const auto once = address_filters(text, symbols);
  if (!once) {
    static_cast<void>(format_filter_error(text, once.error()));
    return;
  }
  const auto twice = address_filters(once->text, symbols);
  // A stop with a size is a tracestop.
  if (once->text.find("stop") == once->text.npos && (!twice || twice->text != once->text)) std::abort();
}

}  // namespace

void peregrine::fuzz_filter(Bytes bytes) {
  // The format of an event, a zero byte and the filter, or only a filter.
  constexpr std::string_view kFormat =
      "name: e\nID: 1\nformat:\n\tfield:int pid;\toffset:0;\tsize:4;\tsigned:1;\n\n"
      "\tfield:char comm[16];\toffset:4;\tsize:16;\tsigned:0;\n\tfield:u64 n;\toffset:24;\tsize:8;\tsigned:0;\n\n"
      "print fmt: \"%x\", __print_symbolic(REC->n, { 1, \"ONE\" })\n";
  const std::string_view text = as_text(bytes);
  if (const auto samples = parse_sample_filter(text); samples && samples->steps.size() > kFilterSteps) std::abort();
  try_addresses(text);
  const auto zero = text.find('\0');
  const auto format = parse_trace_format("s", zero == text.npos ? kFormat : text.substr(0, zero));
  if (!format) return;
  const std::string_view filter = zero == text.npos ? text : text.substr(zero + 1);
  const auto once = kernel_filter(filter, *format);
  if (!once) {
    static_cast<void>(format_filter_error(filter, once.error()));
    return;
  }
  const auto twice = kernel_filter(*once, *format);
  if (!twice || *twice != *once) std::abort();
}
