// Symbol names as a hostile binary may have them.
#include "base/bytes.h"
#include "input.h"
#include "symbol/table/demangle.h"

void peregrine::fuzz_demangle(Bytes bytes) { demangle(as_text(bytes)); }
