#include "symbol/demangle.h"

#include <cctype>
#include <cstdlib>
#include <memory>

// Of libiberty's demangle.h: that header clashes with C++ headers on some systems, and only this is used.
extern "C" char* cplus_demangle_v3(const char* mangled, int options);
extern "C" char* rust_demangle(const char* mangled, int options);
extern "C" char* dlang_demangle(const char* mangled, int options);

namespace peregrine {

namespace {

constexpr int kParameters = 1 << 0;
constexpr int kAnsi = 1 << 1;
constexpr std::size_t kLongest = 16384;  // longer names are shown as they are: the work can be quadratic

struct Free {
  void operator()(char* text) const { std::free(text); }
};

std::string demangle_plain(std::string_view raw, DemangleDetail detail) {
  if (raw.size() > kLongest || !may_be_mangled(raw)) return std::string(raw);
  const std::string text(raw);
  const int options = detail == DemangleDetail::Parameters ? kParameters | kAnsi : 0;
  std::unique_ptr<char, Free> shown(rust_demangle(text.c_str(), options));
  if (!shown) shown.reset(cplus_demangle_v3(text.c_str(), options));
  if (!shown) shown.reset(dlang_demangle(text.c_str(), options));
  return shown ? std::string(shown.get()) : text;
}

}  // namespace

bool may_be_mangled(std::string_view raw) {
  return raw.starts_with("_") || raw.starts_with("caml");
}

std::string demangle(std::string_view raw, DemangleDetail detail) {
  constexpr std::string_view kPlt = "@plt";
  if (!raw.ends_with(kPlt)) return demangle_plain(raw, detail);
  std::string shown = demangle_plain(raw.substr(0, raw.size() - kPlt.size()), detail);
  return shown.append(kPlt);
}

}  // namespace peregrine
