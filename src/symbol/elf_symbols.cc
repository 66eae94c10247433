// load_elf_symbols: which entries of .symtab and .dynsym linux-perf shows, and at which dso address.
#include <elf.h>

#include <algorithm>

#include "symbol/elf_file.h"
#include "symbol/symbol_table_builder.h"

namespace peregrine {

namespace {

constexpr u64 kMaxTable = u64{1} << 32;

struct ElfSymbol {
  std::string_view name;
  u64 value = 0;
  u64 size = 0;
  u32 section = 0;
  u8 binding = 0;
  u8 type = 0;
  u8 visibility = 0;
};

// The entries of one symbol table with their names.
class ElfSymbols {
 public:
  static Result<ElfSymbols> read(const ElfFile& file, const ElfSection& table) {
    ElfSymbols symbols;
    symbols.is_64_ = file.is_64();
    symbols.order_ = file.order();
    if (table.size > kMaxTable || table.link >= file.sections().size()) return symbols;
    auto entries = file.contents(table);
    if (!entries) return std::unexpected(std::move(entries.error()));
    const ElfSection& strings = file.sections()[table.link];
    auto text = strings.size > kMaxTable ? std::vector<std::byte>() : file.contents(strings);
    if (!text) return std::unexpected(std::move(text.error()));
    symbols.entries_ = std::move(*entries);
    symbols.text_ = std::move(*text);
    return symbols;
  }

  std::size_t size() const { return entries_.size() / entry_size(); }
  std::size_t text_size() const { return text_.size(); }

  ElfSymbol at(std::size_t index) const {
    const std::byte* entry = entries_.data() + index * entry_size();
    ElfSymbol symbol;
    u8 info = 0;
    u8 other = 0;
    if (is_64_) {
      info = load<u8>(entry + 4);
      other = load<u8>(entry + 5);
      symbol.section = load<u16>(entry + 6, order_);
      symbol.value = load<u64>(entry + 8, order_);
      symbol.size = load<u64>(entry + 16, order_);
    } else {
      symbol.value = load<u32>(entry + 4, order_);
      symbol.size = load<u32>(entry + 8, order_);
      info = load<u8>(entry + 12);
      other = load<u8>(entry + 13);
      symbol.section = load<u16>(entry + 14, order_);
    }
    const u32 name = load<u32>(entry, order_);
    symbol.binding = info >> 4;
    symbol.type = info & 15;
    symbol.visibility = other & 3;
    if (name != 0 && name < text_.size()) {
      const auto* chars = reinterpret_cast<const char*>(text_.data() + name);
      symbol.name = {chars, ::strnlen(chars, text_.size() - name)};
    }
    return symbol;
  }

 private:
  std::size_t entry_size() const { return is_64_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym); }

  bool is_64_ = true;
  ByteOrder order_ = ByteOrder::Little;
  std::vector<std::byte> entries_;
  std::vector<std::byte> text_;
};

SymbolBinding binding_of(const ElfSymbol& symbol) {
  if (symbol.binding == STB_GLOBAL) return SymbolBinding::Global;
  return symbol.binding == STB_WEAK ? SymbolBinding::Weak : SymbolBinding::Local;
}

SymbolType type_of(const ElfSymbol& symbol) {
  switch (symbol.type) {
    case STT_FUNC:
      return SymbolType::Function;
    case STT_GNU_IFUNC:
      return SymbolType::Ifunc;
    case STT_OBJECT:
      return SymbolType::Object;
    default:
      return SymbolType::None;
  }
}

// Labels of assembly code count only in sections of code or data, and only if others may see them.
bool is_label(const ElfSymbol& symbol) {
  return symbol.type == STT_NOTYPE && symbol.visibility != STV_HIDDEN && symbol.visibility != STV_INTERNAL;
}

// $a, $d, $t, $x mark where ARM code changes its kind; they name nothing. RISC-V has $d and $x.
bool is_mapping_symbol(u16 machine, std::string_view name) {
  if (name.size() < 2 || name[0] != '$') return false;
  if (machine == EM_RISCV) return name[1] == 'd' || name[1] == 'x';
  if (machine != EM_ARM && machine != EM_AARCH64) return false;
  return std::string_view("adtx").find(name[1]) != std::string_view::npos && (name.size() == 2 || name[2] == '.');
}

// Maps addresses of a symbol to what programs' maps speak of.
class Placement {
 public:
  Placement(const ElfFile& symbols, const ElfFile& runtime, ElfAddresses addresses)
      : symbols_(symbols), runtime_(runtime), addresses_(addresses) {
    const ElfSection* section = runtime.machine() == EM_PPC64 ? runtime.find_section(".opd") : nullptr;
    if (section == nullptr) return;
    if (auto contents = runtime.contents(*section)) {
      descriptors_ = std::move(*contents);
      descriptors_at_ = section->address;
    }
  }

  // On 64-bit PowerPC before ELFv2 a function's symbol names a descriptor in .opd, whose first word is the entry.
  // Nothing for a descriptor that only relocation fills.
  std::optional<u64> entry_address(const ElfSymbol& symbol, const ElfSection& section) const {
    if (descriptors_.empty() || section.name != ".opd") return symbol.value;
    const u64 offset = symbol.value - descriptors_at_;
    if (offset > descriptors_.size() || descriptors_.size() - offset < sizeof(u64)) return std::nullopt;
    const u64 entry = load<u64>(descriptors_.data() + offset, runtime_.order());
    return entry != 0 ? std::optional(entry) : std::nullopt;
  }

  u64 dso_address(u64 value, const ElfSection& section) const {
    if (addresses_ == ElfAddresses::Virtual) return value;
    if (symbols_.type() == ET_REL) return value + section.offset;
    if (const auto offset = runtime_.file_offset(value)) return *offset;
    const ElfSection* mapped = &symbols_ == &runtime_ ? nullptr : runtime_.find_section(section.name);
    if (mapped == nullptr) mapped = &section;  // sections of a debug file do not lie where the mapped ones do
    return value - mapped->address + mapped->offset;
  }

 private:
  const ElfFile& symbols_;
  const ElfFile& runtime_;
  ElfAddresses addresses_;
  std::vector<std::byte> descriptors_;
  u64 descriptors_at_ = 0;
};

void add_symbols(SymbolTableBuilder& builder, const ElfFile& file, const ElfSymbols& symbols,
                 const Placement& placement) {
  const auto& sections = file.sections();
  std::vector<bool> holds_labels(sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i)
    holds_labels[i] =
        sections[i].name.find("text") != std::string::npos || sections[i].name.find("data") != std::string::npos;
  builder.reserve(symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    ElfSymbol symbol = symbols.at(i);
    if (symbol.name.empty() || symbol.section == SHN_UNDEF || symbol.section >= sections.size()) continue;
    const bool label = is_label(symbol);
    if (!label && type_of(symbol) == SymbolType::None) continue;
    if (label && !holds_labels[symbol.section]) continue;
    if (is_mapping_symbol(file.machine(), symbol.name)) continue;
    if (file.machine() == EM_ARM && symbol.type == STT_FUNC) symbol.value &= ~u64{1};  // the Thumb bit
    const ElfSection& section = sections[symbol.section];
    if ((section.flags & SHF_ALLOC) == 0) continue;  // such as the texts of linker warnings
    const std::optional<u64> entry = placement.entry_address(symbol, section);
    if (!entry) continue;
    const u64 start = placement.dso_address(*entry, section);
    builder.add({.start = start,
                 .end = start + std::min(symbol.size, ~u64{0} - start),
                 .name = symbol.name,
                 .binding = binding_of(symbol),
                 .type = type_of(symbol)});
  }
}

struct PltShape {
  u64 header;
  u64 entry;
};

PltShape plt_shape(u16 machine, const ElfSection& plt) {
  switch (machine) {
    case EM_ARM:
      return {20, 12};
    case EM_AARCH64:
      return {32, 16};
    case EM_SPARC:
      return {48, 12};
    case EM_SPARCV9:
      return {128, 32};
    default:
      break;
  }
  // lld states no entry size; on x86 it is 16 as with every other linker.
  const bool is_x86 = machine == EM_X86_64 || machine == EM_386;
  const u64 size = plt.entry_size == 0 && is_x86 ? 16 : plt.entry_size;
  return {size, size};
}

// One symbol "NAME@plt" for each slot of .plt, in the order of its relocations.
Result<> add_plt(SymbolTableBuilder& builder, const ElfFile& file, ElfAddresses addresses) {
  const ElfSection* plt = file.find_section(".plt");
  const ElfSection* relocations = file.find_section(".rela.plt");
  if (relocations == nullptr) relocations = file.find_section(".rel.plt");
  if (plt == nullptr || relocations == nullptr || relocations->link >= file.sections().size()) return {};
  if (relocations->type != SHT_RELA && relocations->type != SHT_REL) return {};
  const ElfSection& table = file.sections()[relocations->link];
  if (table.type != SHT_DYNSYM) return {};
  auto symbols = ElfSymbols::read(file, table);
  if (!symbols) return std::unexpected(std::move(symbols.error()));
  auto bytes = file.contents(*relocations);
  if (!bytes) return std::unexpected(std::move(bytes.error()));

  const PltShape shape = plt_shape(file.machine(), *plt);
  const std::size_t word = file.is_64() ? 8 : 4;
  const std::size_t entry = word * (relocations->type == SHT_RELA ? 3 : 2);
  u64 at = (addresses == ElfAddresses::FileOffset ? plt->offset : plt->address) + shape.header;
  for (std::size_t i = 0; i + entry <= bytes->size(); i += entry, at += shape.entry) {
    const std::byte* info_at = bytes->data() + i + word;
    const u64 symbol = file.is_64() ? load<u64>(info_at, file.order()) >> 32 : load<u32>(info_at, file.order()) >> 8;
    if (symbol >= symbols->size() || shape.entry == 0) continue;
    builder.add({.start = at,
                 .end = at + shape.entry,
                 .name = builder.keep(std::string(symbols->at(symbol).name) + "@plt"),
                 .binding = SymbolBinding::Global,
                 .type = SymbolType::Function});
  }
  return {};
}

}  // namespace

Result<SymbolTable> load_elf_symbols(const ElfFile& symbols, const ElfFile& runtime, ElfAddresses addresses) {
  SymbolTableBuilder builder(addresses == ElfAddresses::Virtual ? NameStyle::Plain : NameStyle::Mangled);
  const Placement placement(symbols, runtime, addresses);
  std::vector<ElfSymbols> sources;  // builder borrows their names
  sources.reserve(2);
  std::size_t text_size = 0;
  const auto add_table = [&](const ElfFile& file, u32 type) -> Result<> {
    const ElfSection* table = file.find_section_of_type(type);
    if (table == nullptr) return {};
    auto read = ElfSymbols::read(file, *table);
    if (!read) return std::unexpected(std::move(read.error()));
    text_size += read->text_size();
    sources.push_back(std::move(*read));
    add_symbols(builder, file, sources.back(), placement);
    builder.settle();
    return {};
  };
  PEREGRINE_TRY(add_table(symbols, SHT_SYMTAB));
  PEREGRINE_TRY(add_table(symbols, SHT_DYNSYM));
  if (builder.size() != 0) PEREGRINE_TRY(add_plt(builder, runtime, addresses));
  // Names may share text; many long ones that share more than any linker would are a hostile file's.
  return builder.build(text_size * 4 + (std::size_t{1} << 20));
}

}  // namespace peregrine
