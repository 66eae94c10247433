// Names of symbols, as a hostile binary may have them.
#include "input.h"
#include "symbol/table/demangle.h"

void peregrine::fuzz_demangle(Bytes bytes) { demangle(as_text(bytes)); }
