#include "session/data/kernel_symbol_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iterator>

#include "base/fd.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

std::string kernel_symbol_lines(const Machine& machine, int recorded) {
  if (recorded >= 0 && ::lseek(recorded, 0, SEEK_SET) == 0) {
    if (auto text = read_all(recorded, "the recorded symbols")) return std::move(*text);
  }
  const DsoTable& dsos = machine.dsos();
  std::string lines;
  for (u32 number = 0; number < dsos.size(); ++number) {
    const DsoId id{number};
    const Dso& dso = dsos.at(id);
    if (dso.kind != DsoKind::Kernel && dso.kind != DsoKind::Module) continue;
    const SymbolTable& table = dsos.symbols(id);
    const u64 bias = dsos.bias(id);
    for (u32 at = 0; at < table.size(); ++at) {
      const SymbolIndex symbol{at};
      fmt::format_to(std::back_inserter(lines), "{:016x} t {}", table.start(symbol) - bias, table.name(symbol));
      lines += dso.kind == DsoKind::Module ? fmt::format("\t{}\n", dso.name) : "\n";
    }
  }
  return lines;
}

}  // namespace peregrine
