// Demangles as linux-perf does: C++ (Itanium), Rust (legacy and v0), OCaml, Java; and D, always with parameters. Swift
// names are left as they are.
//
// Pure and thread safe. Hostile names take bounded stack and time and are returned unchanged. A mangled name costs 1-5
// us, a plain one some ns: demangle each symbol once.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

enum class DemangleDetail {
  Name,        // default: no parameters or qualifiers
  Parameters,  // for -v: parameters, return type, const
};

// The name to show; `raw` if it is not mangled. "X@plt" keeps its suffix. Do not demangle kernel symbols without
// --demangle-kernel.
std::string demangle(std::string_view raw, DemangleDetail detail = DemangleDetail::Name);

// Whether demangle() might change the name, judged by its first characters.
bool may_be_mangled(std::string_view raw);

}  // namespace peregrine
