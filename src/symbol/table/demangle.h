// Demangling as linux-perf spells it: C++ (Itanium), Rust (legacy and v0), OCaml, Java; and D, always with parameters.
// Swift names stay as they are.
//
// Pure functions, safe from several threads; hostile names cost bounded stack and time and come back as they are. Costs
// 1-5 us for a mangled name, some ns for a plain one: demangle each symbol once.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

enum class DemangleDetail {
  Name,        // the default: no parameters, no qualifiers
  Parameters,  // what -v shows: with parameters, return type, const
};

// The name to show; `raw` itself when it is not mangled. "X@plt" keeps its suffix.
// Kernel symbols are not to be demangled unless --demangle-kernel asks.
std::string demangle(std::string_view raw, DemangleDetail detail = DemangleDetail::Name);

// Whether demangle() could change the name: a cheap look at its first characters.
bool may_be_mangled(std::string_view raw);

}  // namespace peregrine
