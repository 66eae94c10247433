#include "data/feature/bpf/bpf_symbol.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::data {
namespace {

// Sizes of the data after a type's three words, by kind: a fixed part, and a part for each of its `vlen` members.
struct Tail {
  u8 fixed = 0, each = 0;
};
constexpr Tail kTails[] = {{}, {4, 0}, {}, {12, 0}, {0, 12}, {0, 12}, {0, 8}, {},     {}, {},
                           {}, {},     {}, {0, 8},  {4, 0},  {0, 12}, {},     {4, 0}, {}, {0, 12}};

}  // namespace

BtfTypeNames::BtfTypeNames(Bytes btf, ByteOrder order) {
  ByteReader header(btf, order);
  header.skip(4);
  const u32 header_size = header.get32(), types_at = header.get32(), types_size = header.get32();
  const u32 strings_at = header.get32(), strings_size = header.get32();
  const auto part = [&](u32 at, u32 size) {
    const u64 start = u64{header_size} + at;
    if (!header.ok() || start > btf.size() || size > btf.size() - start) return Bytes();
    return btf.subspan(static_cast<std::size_t>(start), size);
  };
  ByteReader types(part(types_at, types_size), order);
  strings_ = part(strings_at, strings_size);
  while (types.left() >= 12) {
    const u32 name = types.get32(), word = types.get32();
    types.skip(4);
    names_.push_back(name);
    const u32 kind = word >> 24 & 31, members = word & 0xffff;
    if (kind >= std::size(kTails)) return;
    types.skip(kTails[kind].fixed + std::size_t{kTails[kind].each} * members);
  }
}

std::string BtfTypeNames::name(u32 type) const {
  if (type == 0 || type > names_.size() || names_[type - 1] >= strings_.size()) return {};
  const Bytes text = strings_.subspan(names_[type - 1]);
  return std::string(ByteReader(text).text(text.size()));
}

std::string bpf_symbol(const BpfProgram& program, std::size_t function, const BtfTypeNames* types) {
  std::string text = "bpf_prog_";
  if (function < program.tags.size()) text += fmt::format("{:016x}", program.tags[function]);
  std::string name;
  if (types != nullptr && function < program.types.size()) {
    name = types->name(program.types[function]);
  } else {
    name = program.addresses.size() == 1 && function == 0 ? program.name : "F";
  }
  return name.empty() ? text : text + "_" + name;
}

}  // namespace peregrine::data
