#include "symbol/table/demangle.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/ascii.h"
#include "base/types.h"

// The declarations in use from libiberty's demangle.h, which has other names that clash with the C library's.
extern "C" {
using demangle_callbackref = void (*)(const char*, std::size_t, void*);
int cplus_demangle_v3_callback(const char* mangled, int options, demangle_callbackref callback, void* opaque);
int rust_demangle_callback(const char* mangled, int options, demangle_callbackref callback, void* opaque);
char* dlang_demangle(const char* mangled, int options);
}

namespace peregrine {

namespace {

constexpr int kParameters = 1 << 0;
constexpr int kAnsi = 1 << 1;

// A 100-byte name can expand to gigabytes, since each back reference may double it. Nobody reads more than this.
constexpr std::size_t kLongestInput = 16384;
constexpr std::size_t kLongestOutput = 65536;

using Demangler = int (*)(const char*, int, demangle_callbackref, void*);

struct Output {
  std::string text;
  std::jmp_buf too_long;
};

void collect(const char* bytes, std::size_t size, void* opaque) {
  auto* output = static_cast<Output*>(opaque);
  // The demangler cannot be interrupted. longjmp is safe: between here and run() there are only C frames without
  // resources to release.
  if (size > kLongestOutput - output->text.size()) std::longjmp(output->too_long, 1);
  output->text.append(bytes, size);
}

std::optional<std::string> run(Demangler demangler, const char* mangled, int options) {
  Output output;
  output.text.reserve(256);
  if (setjmp(output.too_long) != 0) return std::nullopt;
  if (demangler(mangled, options, collect, &output) == 0) return std::nullopt;
  return std::move(output.text);
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

bool is_ocaml(std::string_view raw) { return raw.size() > 4 && raw.starts_with("caml") && is_upper(raw[4]); }

// camlStdlib__List__map_123 -> Stdlib.List.map_123; $3e -> '>'.
std::string demangle_ocaml(std::string_view raw) {
  std::string shown;
  for (std::size_t i = 4; i < raw.size(); ++i) {
    if (raw.substr(i, 2) == "__") {
      shown += '.';
      ++i;
    } else if (raw[i] == '$' && i + 2 < raw.size() && hex_digit(raw[i + 1]) >= 0 && hex_digit(raw[i + 2]) >= 0) {
      shown += static_cast<char>(hex_digit(raw[i + 1]) * 16 + hex_digit(raw[i + 2]));
      i += 2;
    } else {
      shown += raw[i];
    }
  }
  return shown;
}

std::string_view java_primitive(char code) {
  switch (code) {
    case 'B':
      return "byte";
    case 'C':
      return "char";
    case 'D':
      return "double";
    case 'F':
      return "float";
    case 'I':
      return "int";
    case 'J':
      return "long";
    case 'S':
      return "short";
    case 'V':
      return "void";
    case 'Z':
      return "boolean";
    default:
      return {};
  }
}

void append_java_class(std::string& shown, std::string_view name) {
  for (const char c : name) shown += c == '/' ? '.' : c;
}

// Ljava/util/HashMap;hash(Ljava/lang/Object;[I)I -> java.util.HashMap.hash(java.lang.Object, int[])
std::optional<std::string> demangle_java(std::string_view raw) {
  const std::size_t class_end = raw.find(';');
  const std::size_t open = raw.find('(');
  const std::size_t close = raw.rfind(')');
  if (!raw.starts_with('L') || close == std::string_view::npos || class_end > open || open > close) return std::nullopt;
  if (raw.find('(', open + 1) < close) return std::nullopt;
  std::string shown;
  append_java_class(shown, raw.substr(1, class_end - 1));
  if (is_letter(raw[class_end + 1])) shown += '.';
  shown.append(raw.substr(class_end + 1, open - class_end));
  std::size_t dimensions = 0;
  bool first = true;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (raw[i] == '[') {
      ++dimensions;
      continue;
    }
    if (!first) shown += ", ";
    first = false;
    if (raw[i] == 'L') {
      const std::size_t end = std::min(raw.find(';', i), close);
      append_java_class(shown, raw.substr(i + 1, end - i - 1));
      i = end;
    } else if (const std::string_view name = java_primitive(raw[i]); !name.empty()) {
      shown.append(name);
    } else {
      shown += raw[i];
    }
    for (; dimensions > 0; --dimensions) shown += "[]";
  }
  shown += ')';
  return shown;
}

// Decodes a back reference of D: 'Q', then a distance in base 26 with the last digit in lower case. 0: invalid.
std::size_t d_distance(std::string_view text) {
  std::size_t distance = 0;
  for (const char c : text.substr(1)) {
    if (c >= 'a' && c <= 'z') return distance * 26 + static_cast<std::size_t>(c - 'a');
    if (!is_upper(c)) return 0;
    distance = distance * 26 + static_cast<std::size_t>(c - 'A');
  }
  return 0;
}

// True if the output for a D name is bounded. The library cannot be interrupted, and it repeats the text between the
// target of a back reference and the reference itself, which may contain further references.
bool d_stays_small(std::string_view raw) {
  constexpr u64 kMostPerCharacter = 16, kMost = u64{1} << 20;
  std::vector<u64> size_before(raw.size() + 1);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    u64 grown = kMostPerCharacter;
    const std::size_t distance = raw[i] == 'Q' ? d_distance(raw.substr(i)) : 0;
    if (distance <= i) grown += size_before[i] - size_before[i - distance];
    size_before[i + 1] = size_before[i] + grown;
    if (size_before[i + 1] > kMost) return false;
  }
  return true;
}

// The library tries each start of a function type twice, recursively: 5 ms for 16 letters that may start one, and twice
// that for each further one.
bool d_takes_short(std::string_view raw) {
  constexpr std::ptrdiff_t kMost = 16;
  constexpr std::string_view kBegins = "FMRUVWY";
  return std::ranges::count_if(raw, [&](char c) { return kBegins.find(c) != std::string_view::npos; }) <= kMost;
}

std::optional<std::string> demangle_d(const std::string& raw) {
  constexpr std::size_t kLongest = 4096;  // at worst the library recurses once per character
  if (raw.size() > kLongest || !d_takes_short(raw) || !d_stays_small(raw)) return std::nullopt;
  const std::unique_ptr<char, decltype(&std::free)> shown(dlang_demangle(raw.c_str(), 0), std::free);
  return shown ? std::optional<std::string>(shown.get()) : std::nullopt;
}

std::string demangle_plain(std::string_view raw, DemangleDetail detail) {
  if (raw.size() > kLongestInput || !may_be_mangled(raw)) return std::string(raw);
  if (raw[0] == 'L') return demangle_java(raw).value_or(std::string(raw));
  if (raw[0] == 'c') return demangle_ocaml(raw);
  std::string text(raw);
  if (raw[1] == 'D') return demangle_d(text).value_or(text);
  const int options = detail == DemangleDetail::Parameters ? kParameters | kAnsi : 0;
  if (auto shown = run(rust_demangle_callback, text.c_str(), options)) return *std::move(shown);
  if (auto shown = run(cplus_demangle_v3_callback, text.c_str(), options)) return *std::move(shown);
  return text;
}

}  // namespace

bool may_be_mangled(std::string_view raw) {
  if (raw.size() < 3) return false;
  if (raw[0] == '_') return raw[1] == 'Z' || raw[1] == 'R' || raw[1] == 'D' || raw.starts_with("_GLOBAL_");
  if (raw[0] == 'L') return raw.find(';') != std::string_view::npos;
  return is_ocaml(raw);
}

std::string demangle(std::string_view raw, DemangleDetail detail) {
  constexpr std::string_view kPlt = "@plt";
  if (!raw.ends_with(kPlt)) return demangle_plain(raw, detail);
  std::string shown = demangle_plain(raw.substr(0, raw.size() - kPlt.size()), detail);
  return shown.append(kPlt);
}

}  // namespace peregrine
