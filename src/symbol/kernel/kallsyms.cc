#include "symbol/kernel/kallsyms.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <expected>
#include <map>
#include <utility>

#include "base/fd.h"
#include "base/judged_file.h"
#include "base/text/ascii.h"
#include "base/types.h"
#include "symbol/table/symbol_table_builder.h"

namespace peregrine {

namespace {

struct KallsymsLine {
  u64 address = 0;
  char type = 0;
  std::string_view name;
  std::string_view module;  // with brackets; empty for the kernel
};

// "ffffffff81000000 T _text" or "ffffffffc0201000 t ext4_read\t[ext4]".
bool parse_line(std::string_view line, KallsymsLine& out) {
  std::size_t at = 0;
  u64 address = 0;
  for (int digit = 0; at < line.size() && at < 17 && (digit = hex_digit(line[at])) >= 0; ++at)
    address = address << 4 | static_cast<u64>(digit);
  if (at == 0 || at > 16 || at + 3 >= line.size() || line[at] != ' ' || line[at + 2] != ' ') return false;
  out.address = address;
  out.type = line[at + 1];
  out.name = line.substr(at + 3);
  out.module = {};
  if (line.back() == ']') {
    const std::size_t tab = out.name.rfind('\t');
    if (tab == std::string_view::npos || tab + 1 >= out.name.size() || out.name[tab + 1] != '[') return true;
    out.module = out.name.substr(tab + 1);
    out.name = out.name.substr(0, tab);
  }
  return !out.name.empty();
}

// Text, weak, data and bss symbols, as in linux-perf.
bool is_wanted_type(char type) {
  switch (type | 0x20) {
    case 't':
    case 'w':
    case 'd':
    case 'b':
      return true;
    default:
      return false;
  }
}

SymbolBinding binding_of(char type) {
  if ((type | 0x20) == 'w') return SymbolBinding::Weak;
  return type >= 'a' ? SymbolBinding::Local : SymbolBinding::Global;
}

NewSymbol symbol_of(const KallsymsLine& line) {
  const char kind = static_cast<char>(line.type | 0x20);
  return {.start = line.address,
          .end = line.address,
          .name = line.name,
          .binding = binding_of(line.type),
          .type = kind == 't' || kind == 'w' ? SymbolType::Function : SymbolType::Object};
}

// BPF programs and other generated code come and go during a recording; KSYMBOL records report them.
bool is_passing(std::string_view module) { return module == "[bpf]"; }

struct References {
  u64 text = 0;
  u64 stext = 0;
  u64 etext = 0;
  int seen = 0;  // how many of _text and _stext were found, even if addresses are hidden
  void look(const KallsymsLine& line) {
    if (line.name == "_etext") etext = line.address;
    if (line.name != "_text" && line.name != "_stext") return;
    ++seen;
    (line.name == "_text" ? text : stext) = line.address;
  }
};

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  const char* at = text.data();
  const char* const end = at + text.size();
  KallsymsLine line;
  while (at < end) {
    const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    const char* stop = found != nullptr ? static_cast<const char*>(found) : end;
    if (parse_line({at, static_cast<std::size_t>(stop - at)}, line)) visit(line);
    at = stop + 1;
  }
}

constexpr std::size_t kMostText = std::size_t{1} << 30;

}  // namespace

Kallsyms parse_kallsyms(std::string_view text) {
  Kallsyms result;
  References references;
  SymbolTableBuilder kernel(NameStyle::Plain);
  std::map<std::string_view, SymbolTableBuilder> modules;
  std::string_view last_name;
  SymbolTableBuilder* last_module = nullptr;
  bool any_address = false;
  std::size_t wanted = 0;
  kernel.reserve(text.size() / 40);
  for_each_line(text, [&](const KallsymsLine& line) {
    if (!is_wanted_type(line.type) || line.name[0] == '$') return;
    ++wanted;
    any_address |= line.address != 0;
    if (line.module.empty()) {
      if (line.name[0] == '_') references.look(line);
      kernel.add(symbol_of(line));
      return;
    }
    if (is_passing(line.module)) return;
    // Lines of one module are adjacent, so the look-up is needed once per module.
    if (last_module == nullptr || line.module != last_name) {
      last_name = line.module;
      last_module = &modules.try_emplace(line.module, NameStyle::Plain).first->second;
    }
    last_module->add(symbol_of(line));
  });
  result.hidden = wanted != 0 && !any_address;
  if (result.hidden) return result;
  result.text = references.text;
  result.stext = references.stext;
  result.etext = references.etext;
  kernel.settle();
  result.kernel = kernel.build();
  for (auto& [name, builder] : modules) {
    builder.settle();
    ModuleSymbols module{.name = std::string(name), .table = builder.build()};
    module.start = module.table.start(SymbolIndex(0));
    module.end = module.table.end(SymbolIndex(static_cast<u32>(module.table.size() - 1)));
    result.modules.push_back(std::move(module));
  }
  return result;
}

Result<Kallsyms> load_kallsyms(const std::string& path) {
  auto text = read_regular_file(path, kMostText);
  if (!text) return std::unexpected(std::move(text.error()));
  return parse_kallsyms(*text);
}

Result<Kallsyms> load_kallsyms(int fd, const std::string& name) {
  auto text = pread_all(fd, name, kMostText);
  if (!text) return std::unexpected(std::move(text.error()));
  return parse_kallsyms(*text);
}

const ModuleSymbols* Kallsyms::find_module(std::string_view bracketed_name) const {
  const auto found = std::ranges::lower_bound(modules, bracketed_name, {}, &ModuleSymbols::name);
  return found != modules.end() && found->name == bracketed_name ? &*found : nullptr;
}

Result<KernelReference> read_kernel_reference(const std::string& kallsyms_path) {
  auto file = open_judged(kallsyms_path, {});
  if (!file) return std::unexpected(std::move(file.error()));
  std::string text;
  References references;
  bool any_address = false;
  bool any_line = false;
  char block[16384];
  for (;;) {
    auto count = read_full(file->fd.get(), block, sizeof block);
    if (!count) return std::unexpected(std::move(count.error()));
    text.append(block, *count);
    const bool at_end = *count < sizeof block;
    const std::size_t whole = at_end ? text.size() : text.rfind('\n') + 1;
    for_each_line(std::string_view(text).substr(0, whole), [&](const KallsymsLine& line) {
      any_line = true;
      any_address |= line.address != 0;
      if (line.module.empty()) references.look(line);
    });
    text.erase(0, whole);
    // _text and _stext are near the start; the kernel takes long to print the rest.
    if (references.seen == 2 || at_end) break;
  }
  return KernelReference{.text = references.text, .stext = references.stext, .hidden = any_line && !any_address};
}

std::vector<ModuleRange> parse_modules(std::string_view text) {
  std::vector<ModuleRange> modules;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // "ext4 1105920 2 - Live 0xffffffffc0a00000 (OE)": name size references users state address
    std::vector<std::string_view> words;
    while (!line.empty()) {
      const std::size_t blank = std::min(line.find(' '), line.size());
      if (blank != 0) words.push_back(line.substr(0, blank));
      line.remove_prefix(std::min(blank + 1, line.size()));
    }
    if (words.size() < 6 || !words[5].starts_with("0x")) continue;
    ModuleRange module{.name = std::string(words[0])};
    std::ranges::replace(module.name, '-', '_');
    for (const char c : words[1]) {
      if (c < '0' || c > '9') break;
      module.size = module.size * 10 + static_cast<u64>(c - '0');
    }
    for (const char c : words[5].substr(2)) {
      const int digit = hex_digit(c);
      if (digit < 0) break;
      module.start = module.start << 4 | static_cast<u64>(digit);
    }
    modules.push_back(std::move(module));
  }
  return modules;
}

}  // namespace peregrine
