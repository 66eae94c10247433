#include "machine/resolver/code_image.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <expected>
#include <string>
#include <utility>

#include "base/build_id.h"
#include "base/file/read_failures.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "symbol/elf/build_id.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

namespace {

Error no_kernel_image(const DsoTable& dsos, DsoId id) {
  const SymbolPlaces& places = dsos.places();
  const BuildId& recorded = dsos.at(id).build_id;
  const auto running = read_build_id_notes(places.live_notes);
  std::string reason = "/proc/kcore belongs to another kernel";
  if (running && (!recorded || recorded.matches(*running))) {
    const auto core = ElfFile::open(places.live_core);
    const bool denied = !core && core.error().kind == ErrorKind::Denied;
    const bool failed = !core && is_machine_failure(core.error());
    reason = failed   ? "/proc/kcore cannot be read: " + std::string(std::strerror(core.error().system_errno))
             : denied ? "you do not have permission to read /proc/kcore"
                      : "/proc/kcore does not exist";
  }
  return Error{ErrorKind::NotFound, fmt::format("no vmlinux {}{}found, and {}", recorded ? "with build id " : "",
                                                recorded ? recorded.hex() + " " : "", reason)}
      .with_hint("install the debug kernel package, or pass -k vmlinux");
}

}  // namespace

Result<CodeImage> CodeImage::open(const DsoTable& dsos, DsoId id) {
  auto file = dsos.open_code(id);
  if (!file && dsos.at(id).kind == DsoKind::Kernel) return std::unexpected(no_kernel_image(dsos, id));
  if (!file) return std::unexpected(std::move(file.error()));
  const u64 bias = dsos.image_bias(id, *file);
  return CodeImage(std::move(*file), !dsos.at(id).is_kernel(), bias);
}

std::optional<u64> CodeImage::virtual_address(u64 dso_address) const {
  return by_offset_ ? file_.virtual_address(dso_address) : std::optional(dso_address + bias_);
}

std::optional<u64> CodeImage::dso_address(u64 virtual_address) const {
  return by_offset_ ? file_.file_offset(virtual_address) : std::optional(virtual_address - bias_);
}

std::optional<u64> CodeImage::file_offset(u64 virtual_address) const {
  if (auto offset = file_.file_offset(virtual_address)) return offset;
  // Modules have no segments, so use the offsets of their sections.
  const auto covers = [&](const ElfSection& section) {
    return (section.flags & SHF_ALLOC) != 0 && virtual_address >= section.address &&
           virtual_address - section.address < section.size;
  };
  const auto section = std::ranges::find_if(file_.sections(), covers);
  if (section == file_.sections().end() || section->type == SHT_NOBITS) return std::nullopt;
  return virtual_address - section->address + section->offset;
}

}  // namespace peregrine
