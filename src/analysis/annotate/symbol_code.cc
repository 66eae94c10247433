#include "analysis/annotate/symbol_code.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "symbol/elf/elf_file.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

namespace {

// No function is that long, but a broken symbol may claim to be. A listing takes about a hundred bytes per instruction.
constexpr u64 kMostBytes = u64{2} << 20;

// A symbol without a size may extend past the end of its section.
std::vector<CodeSection> sections_of(const ElfFile& file, u64 address, u64 size) {
  std::vector<CodeSection> found;
  for (const ElfSection& section : file.sections()) {
    if ((section.flags & SHF_EXECINSTR) == 0 || section.type == SHT_NOBITS) continue;
    const u64 begin = std::max(section.address, address);
    const u64 end = std::min(section.address + std::min(section.size, ~section.address), address + size);
    if (begin < end) found.push_back({section.name, begin - address, end - address});
  }
  std::ranges::sort(found, {}, &CodeSection::begin);
  for (std::size_t i = 1; i < found.size(); ++i) found[i].begin = std::max(found[i].begin, found[i - 1].end);
  std::erase_if(found, [](const CodeSection& section) { return section.begin >= section.end; });
  if (found.empty()) found.push_back({"", 0, size});
  return found;
}

}  // namespace

CodeFiles::CodeFiles(const Machine& machine) : machine_(machine) {}
CodeFiles::~CodeFiles() = default;

const Result<CodeImage>& CodeFiles::open(DsoId id) {
  std::unique_ptr<Result<CodeImage>>& slot = files_[id.value];
  if (!slot) slot = std::make_unique<Result<CodeImage>>(CodeImage::open(machine_.dsos(), id));
  return *slot;
}

void CodeFiles::add(u64 address, std::span<const std::byte> bytes, Isa isa) {
  loose_[address] = {{bytes.begin(), bytes.end()}, isa};
}

Result<SymbolCode> CodeFiles::read_loose(DsoId id) const {
  const Dso& dso = machine_.dsos().at(id);
  const auto found = loose_.find(dso.start);
  if (found == loose_.end())
    return std::unexpected(
        Error{ErrorKind::NotFound, "the recording does not contain the code of this BPF program"}.with_hint(
            "record saves the code of loaded BPF programs when run as root"));
  const Loose& loose = found->second;
  return SymbolCode{.bytes = loose.bytes,
                    .address = dso.start,
                    .isa = loose.isa,
                    .sections = {{dso.name, 0, loose.bytes.size()}},
                    .file = dso.name};
}

Result<SymbolCode> CodeFiles::read(DsoId id, SymbolIndex symbol) {
  const DsoKind kind = machine_.dsos().at(id).kind;
  if (kind == DsoKind::Generated) return read_loose(id);
  if (kind == DsoKind::Anonymous)
    return std::unexpected(
        Error{ErrorKind::Unsupported, "its code was generated at run time and is not in a file"}.with_hint(
            "enable jitdump in the program, and record with -k mono"));
  const Result<CodeImage>& image = open(id);
  if (!image) return std::unexpected(image.error());
  const ElfFile& file = image->file();
  const SymbolTable& table = machine_.dsos().symbols(id);
  if (!machine_.dsos().has_symbol(id, symbol))
    return fail(ErrorKind::NotFound, "{} is no longer mapped, and its symbols were released", file.name());
  const u64 start = table.start(symbol);
  const auto address = image->virtual_address(start - machine_.dsos().bias(id));
  if (!address) return fail(ErrorKind::Malformed, "{}: nothing is loaded from offset {:#x}", file.name(), start);
  const auto offset = image->file_offset(*address);
  if (!offset) return fail(ErrorKind::Malformed, "{}: no bytes at address {:#x}", file.name(), *address);
  const u64 size =
      std::min({table.end(symbol) - start, kMostBytes, file.file_size() - std::min(*offset, file.file_size())});
  auto bytes = file.read(*offset, size);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return SymbolCode{.bytes = std::move(*bytes),
                    .address = *address,
                    .isa = isa_of_elf(file.machine(), file.is_64()),
                    .order = file.order(),
                    .sections = sections_of(file, *address, size),
                    .file = file.name()};
}

namespace {

// Prefers a symbol that starts at the address to a longer one that covers it: "strlen@plt", not "_init+0x30".
SymbolIndex find_start(const SymbolTable& table, u64 address) {
  u32 first = 0, last = static_cast<u32>(table.size());
  while (first < last) {
    const u32 middle = first + (last - first) / 2;
    if (table.start(SymbolIndex(middle)) < address)
      first = middle + 1;
    else
      last = middle;
  }
  return first < table.size() && table.start(SymbolIndex(first)) == address ? SymbolIndex(first) : SymbolIndex();
}

}  // namespace

CodeFiles::Place CodeFiles::find_symbol(DsoId id, u64 virtual_address) {
  const Dso& dso = machine_.dsos().at(id);
  // Functions in a jitdump file are not as far apart as they are in memory.
  if (dso.kind == DsoKind::JitDump) return {};
  if (dso.kind == DsoKind::Generated) {
    const SymbolTable& own = machine_.dsos().symbols(id);
    const SymbolIndex covering = own.find_index(virtual_address);
    return covering ? Place{covering, virtual_address - own.start(covering)} : Place{};
  }
  const Result<CodeImage>& image = open(id);
  if (!image) return {};
  const auto address = image->dso_address(virtual_address);
  if (!address) return {};
  const SymbolTable& table = machine_.dsos().symbols(id);
  const u64 listed = *address + machine_.dsos().bias(id);
  if (const SymbolIndex exact = find_start(table, listed)) return {exact, 0};
  const SymbolIndex symbol = table.find_index(listed);
  if (!symbol) return {};
  return {symbol, listed - table.start(symbol)};
}

}  // namespace peregrine
