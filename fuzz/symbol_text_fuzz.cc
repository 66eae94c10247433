// Symbols as text: kallsyms, /proc/modules, perf-PID.map.
#include "base/bytes.h"
#include "input.h"
#include "symbol/jit/perf_map.h"
#include "symbol/kernel/kallsyms.h"

void peregrine::fuzz_symbol_text(Bytes bytes) {
  parse_kallsyms(as_text(bytes));
  parse_modules(as_text(bytes));
  parse_perf_map(as_text(bytes));
}
