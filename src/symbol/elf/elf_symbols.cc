// load_elf_symbols, load_thread_symbols: select entries of .symtab and .dynsym and compute their dso addresses.
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/thread_symbols.h"
#include "symbol/table/name_text.h"
#include "symbol/table/symbol_table.h"
#include "symbol/table/symbol_table_builder.h"

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

// The entries of one symbol table with their names. They are read block by block, since tables with 100,000 entries are
// mostly walked once in order. Relocations refer to them in any order, so they call read_all() first: libstdc++'s
// needed 770 blocks, 31 MB.
class ElfSymbols {
 public:
  static Result<ElfSymbols> open(const ElfFile& file, const ElfSection& table) {
    ElfSymbols symbols(file, table);
    if (table.size > kMaxTable || table.link >= file.sections().size() || table.type == SHT_NOBITS) return symbols;
    const ElfSection& strings = file.sections()[table.link];
    if (strings.size > kMaxTable) return symbols;
    auto text = file.text(strings);
    if (!text) return std::unexpected(std::move(text.error()));
    if (!text->empty() && text->back() != '\0') text->push_back('\0');
    symbols.text_ = std::make_unique<std::string>(std::move(*text));
    const u64 there = file.file_size() - std::min(table.offset, file.file_size());  // the file may be truncated
    symbols.size_ = static_cast<std::size_t>(std::min(table.size, there) / symbols.entry_size());
    return symbols;
  }

  std::size_t size() const { return size_; }
  bool reads(const ElfFile& file, const ElfSection& table) const { return file_ == &file && table_ == &table; }
  // All names borrow from this text; moving this object does not move it.
  std::string_view text() const { return text_ ? std::string_view(*text_) : std::string_view(); }
  // The text in a form that outlives this object; a long one stays in the file.
  NameText keep_text() {
    if (!text_) return {};
    if (text_->size() >= kLeftInFile) {
      if (NameText left = file_->text_in_file(file_->sections()[table_->link]); left.valid()) return left;
    }
    return NameText(std::move(*text_));
  }

  // Reads the whole table, unless it is large.
  Result<> read_all() { return size_ <= kMostAtOnce ? read_block(0, size_) : Result<>(); }

  Result<ElfSymbol> at(std::size_t index) {
    if (index < block_first_ || index >= block_first_ + block_.size() / entry_size())
      PEREGRINE_TRY(read_block(index, kBlockEntries));
    const std::byte* entry = block_.data() + (index - block_first_) * entry_size();
    const ByteOrder order = file_->order();
    ElfSymbol symbol;
    u8 info = 0;
    u8 other = 0;
    if (file_->is_64()) {
      info = load<u8>(entry + 4);
      other = load<u8>(entry + 5);
      symbol.section = load<u16>(entry + 6, order);
      symbol.value = load<u64>(entry + 8, order);
      symbol.size = load<u64>(entry + 16, order);
    } else {
      symbol.value = load<u32>(entry + 4, order);
      symbol.size = load<u32>(entry + 8, order);
      info = load<u8>(entry + 12);
      other = load<u8>(entry + 13);
      symbol.section = load<u16>(entry + 14, order);
    }
    const u32 name = load<u32>(entry, order);
    symbol.binding = info >> 4;
    symbol.type = info & 15;
    symbol.visibility = other & 3;
    if (name != 0 && name < text_->size()) symbol.name = text_->c_str() + name;
    return symbol;
  }

 private:
  static constexpr std::size_t kBlockEntries = 2048, kMostAtOnce = std::size_t{1} << 17;
  static constexpr std::size_t kLeftInFile = std::size_t{1} << 16;

  ElfSymbols(const ElfFile& file, const ElfSection& table) : file_(&file), table_(&table) {}

  Result<> read_block(std::size_t index, std::size_t entries) {
    block_first_ = index;
    block_.resize(std::min(entries, size_ - index) * entry_size());
    return file_->read_into(table_->offset + index * entry_size(), block_);
  }
  std::size_t entry_size() const { return file_->is_64() ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym); }

  const ElfFile* file_;
  const ElfSection* table_;
  std::size_t size_ = 0;
  std::unique_ptr<std::string> text_;
  std::size_t block_first_ = 0;
  std::vector<std::byte> block_;
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

// Assembly labels only count in sections of code or data, and only if they are visible outside.
bool is_label(const ElfSymbol& symbol) {
  return symbol.type == STT_NOTYPE && symbol.visibility != STV_HIDDEN && symbol.visibility != STV_INTERNAL;
}

// $a, $d, $t, $x mark where ARM code switches between instruction sets and data; they are not names. RISC-V has $d and
// $x.
bool is_mapping_symbol(u16 machine, std::string_view name) {
  if (name.size() < 2 || name[0] != '$') return false;
  if (machine == EM_RISCV) return name[1] == 'd' || name[1] == 'x';
  if (machine != EM_ARM && machine != EM_AARCH64) return false;
  return std::string_view("adtx").find(name[1]) != std::string_view::npos && (name.size() == 2 || name[2] == '.');
}

// Converts symbol values to the dso addresses that maps use.
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

  // On 64-bit PowerPC before ELFv2, a function symbol refers to a descriptor in .opd; its first word is the entry
  // address. nullopt if only relocation fills the descriptor.
  std::optional<u64> entry_address(const ElfSymbol& symbol, const ElfSection& section) const {
    if (addresses_ == ElfAddresses::Module && (section.flags & SHF_EXECINSTR) == 0) return std::nullopt;
    if (addresses_ == ElfAddresses::Module && section.address == ElfFile::kNotPlaced) return std::nullopt;
    if (descriptors_.empty() || section.name != ".opd") return symbol.value;
    const u64 offset = symbol.value - descriptors_at_;
    if (offset > descriptors_.size() || descriptors_.size() - offset < sizeof(u64)) return std::nullopt;
    const u64 entry = load<u64>(descriptors_.data() + offset, runtime_.order());
    return entry != 0 ? std::optional(entry) : std::nullopt;
  }

  u64 dso_address(u64 value, const ElfSection& section) const {
    if (addresses_ == ElfAddresses::Virtual) return value;
    if (addresses_ == ElfAddresses::Module) return value + section.address;
    if (symbols_.type() == ET_REL) return value + section.offset;
    if (const auto offset = runtime_.file_offset(value)) return *offset;
    const ElfSection* mapped = &symbols_ == &runtime_ ? nullptr : runtime_.find_section(section.name);
    if (mapped == nullptr) mapped = &section;  // a debug file places its sections at other offsets than the mapped file
    return value - mapped->address + mapped->offset;
  }

 private:
  const ElfFile& symbols_;
  const ElfFile& runtime_;
  ElfAddresses addresses_;
  std::vector<std::byte> descriptors_;
  u64 descriptors_at_ = 0;
};

Result<> add_symbols(SymbolTableBuilder& builder, const ElfFile& file, ElfSymbols& symbols,
                     const Placement& placement) {
  const auto& sections = file.sections();
  std::vector<bool> holds_labels(sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i)
    holds_labels[i] =
        sections[i].name.find("text") != std::string::npos || sections[i].name.find("data") != std::string::npos;
  builder.reserve(symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    auto read = symbols.at(i);
    if (!read) return std::unexpected(std::move(read.error()));
    ElfSymbol& symbol = *read;
    if (symbol.name.empty() || symbol.section == SHN_UNDEF || symbol.section >= sections.size()) continue;
    const bool label = is_label(symbol);
    if (!label && type_of(symbol) == SymbolType::None) continue;
    if (label && !holds_labels[symbol.section]) continue;
    if (is_mapping_symbol(file.machine(), symbol.name)) continue;
    if (file.machine() == EM_ARM && symbol.type == STT_FUNC) symbol.value &= ~u64{1};  // the Thumb bit
    const ElfSection& section = sections[symbol.section];
    if ((section.flags & SHF_ALLOC) == 0) continue;  // not loaded, such as the texts of linker warnings
    const std::optional<u64> entry = placement.entry_address(symbol, section);
    if (!entry) continue;
    const u64 start = placement.dso_address(*entry, section);
    builder.add({.start = start,
                 .end = start + std::min(symbol.size, ~u64{0} - start),
                 .name = symbol.name,
                 .binding = binding_of(symbol),
                 .type = type_of(symbol)});
  }
  return {};
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
  // lld leaves the entry size 0; on x86 it is 16, as with every other linker.
  const bool is_x86 = machine == EM_X86_64 || machine == EM_386;
  const u64 size = plt.entry_size == 0 && is_x86 ? 16 : plt.entry_size;
  return {size, size};
}

// Names may share text. Many long names that share more than a linker would produce come from a hostile file.
std::size_t most_copied(std::string_view text) { return text.size() * 4 + (std::size_t{1} << 20); }

// Adds a symbol "NAME@plt" for each slot of .plt, in the order of its relocations. `known`: symbol tables already open.
Result<> add_plt(SymbolTableBuilder& builder, const ElfFile& file, ElfAddresses addresses,
                 std::span<ElfSymbols> known) {
  const ElfSection* plt = file.find_section(".plt");
  const ElfSection* relocations = file.find_section(".rela.plt");
  if (relocations == nullptr) relocations = file.find_section(".rel.plt");
  if (plt == nullptr || relocations == nullptr || relocations->link >= file.sections().size()) return {};
  if (relocations->type != SHT_RELA && relocations->type != SHT_REL) return {};
  const ElfSection& table = file.sections()[relocations->link];
  if (table.type != SHT_DYNSYM) return {};
  auto symbols = std::ranges::find_if(known, [&](const ElfSymbols& read) { return read.reads(file, table); });
  std::vector<ElfSymbols> fresh;
  if (symbols == known.end()) {
    auto opened = ElfSymbols::open(file, table);
    if (!opened) return std::unexpected(std::move(opened.error()));
    fresh.push_back(std::move(*opened));
    symbols = std::span(fresh).begin();
  }
  auto bytes = file.contents(*relocations);
  if (!bytes) return std::unexpected(std::move(bytes.error()));

  PEREGRINE_TRY(symbols->read_all());

  const PltShape shape = plt_shape(file.machine(), *plt);
  const std::size_t word = file.is_64() ? 8 : 4;
  const std::size_t entry = word * (relocations->type == SHT_RELA ? 3 : 2);
  u64 at = (addresses == ElfAddresses::FileOffset ? plt->offset : plt->address) + shape.header;
  std::size_t left = most_copied(symbols->text());
  for (std::size_t i = 0; i + entry <= bytes->size(); i += entry, at += shape.entry) {
    const std::byte* info_at = bytes->data() + i + word;
    const u64 symbol = file.is_64() ? load<u64>(info_at, file.order()) >> 32 : load<u32>(info_at, file.order()) >> 8;
    if (symbol >= symbols->size() || shape.entry == 0) continue;
    auto target = symbols->at(symbol);
    if (!target) return std::unexpected(std::move(target.error()));
    if (target->name.size() > left) break;
    left -= target->name.size();
    builder.add({.start = at,
                 .end = at + shape.entry,
                 .name = builder.keep(std::string(target->name) + "@plt"),
                 .binding = SymbolBinding::Global,
                 .type = SymbolType::Function});
  }
  return {};
}

}  // namespace

Result<SymbolTable> load_elf_symbols(const ElfFile& symbols, const ElfFile& runtime, ElfAddresses addresses,
                                     Exports exports) {
  SymbolTableBuilder builder(addresses == ElfAddresses::FileOffset ? NameStyle::Mangled : NameStyle::Plain);
  const Placement placement(symbols, runtime, addresses);
  std::vector<ElfSymbols> sources;  // builder borrows their names
  sources.reserve(2);
  const auto add_table = [&](const ElfFile& file, u32 type) -> Result<> {
    const ElfSection* table = file.find_section_of_type(type);
    if (table == nullptr) return {};
    auto opened = ElfSymbols::open(file, *table);
    if (!opened) return std::unexpected(std::move(opened.error()));
    sources.push_back(std::move(*opened));
    PEREGRINE_TRY(add_symbols(builder, file, sources.back(), placement));
    builder.settle();
    return {};
  };
  PEREGRINE_TRY(add_table(symbols, SHT_SYMTAB));
  PEREGRINE_TRY(add_table(exports == Exports::OfRuntime ? runtime : symbols, SHT_DYNSYM));
  if (builder.size() != 0) PEREGRINE_TRY(add_plt(builder, runtime, addresses, sources));
  if (sources.empty()) return builder.build();
  const std::string_view text = sources.front().text();
  return builder.build(most_copied(text), text, sources.front().keep_text());
}

Result<std::unordered_map<std::string, ThreadSymbol>> load_thread_symbols(const ElfFile& file) {
  std::unordered_map<std::string, ThreadSymbol> places;
  const ElfSection* table = file.find_section_of_type(SHT_SYMTAB);
  if (table == nullptr) return places;
  auto symbols = ElfSymbols::open(file, *table);
  if (!symbols) return std::unexpected(std::move(symbols.error()));
  std::size_t left = most_copied(symbols->text());
  for (std::size_t i = 0; i < symbols->size(); ++i) {
    const auto symbol = symbols->at(i);
    if (!symbol) return std::unexpected(symbol.error());
    if (symbol->type != STT_TLS || symbol->section == SHN_UNDEF || symbol->name.empty()) continue;
    if (symbol->name.size() > left) break;
    left -= symbol->name.size();
    const auto [known, fresh] = places.try_emplace(std::string(symbol->name), ThreadSymbol{.offset = symbol->value});
    if (!fresh && known->second.offset != symbol->value) known->second.is_one = false;
  }
  return places;
}

}  // namespace peregrine
