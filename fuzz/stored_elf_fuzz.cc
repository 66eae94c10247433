// A file that is searched for symbols: compressed, with MiniDebugInfo and a debug link, a module, or a zip archive.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "base/bytes.h"
#include "base/fd.h"
#include "input.h"
#include "symbol/compression/stored_elf.h"
#include "symbol/compression/zip_file.h"
#include "symbol/elf/elf_file.h"

void peregrine::fuzz_stored_elf(Bytes bytes) {
  const Fd input(memfd_create("input", MFD_CLOEXEC));
  if (write(input.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return;
  const std::string path = fmt::format("/proc/self/fd/{}", input.get());
  if (const auto file = open_stored_elf(path)) {
    static_cast<void>(file->debug_link());
    static_cast<void>(open_mini_debug(*file));
    static_cast<void>(load_elf_symbols(*file, *file, ElfAddresses::Module));
  }
  const auto zip = ZipFile::open(path);
  if (!zip) return;
  std::size_t some = 16;
  for (const ZipMember& member : zip->members()) {
    if (some-- == 0) return;
    if (member.size < (1u << 20)) static_cast<void>(zip->read(member));
  }
}
