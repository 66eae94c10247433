#include "pipeline/recording/output/kernel_copy.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <expected>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/synthesis/kernel.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

constexpr u64 kPage = 4096;
constexpr std::size_t kMostSegments = 4096;
constexpr std::size_t kCopiedPiece = std::size_t{1} << 20;

struct Range {
  u64 start = 0, end = 0;
};

u64 page_down(u64 address) { return address & ~(kPage - 1); }
u64 page_up(u64 address) { return page_down(address + kPage - 1); }

// Returns where kernel code is: the kernel's text, and everything from the lowest module to the end of the highest.
Result<std::vector<Range>> code_ranges(const Root& root) {
  const auto text = kernel_text(root);
  if (!text) {
    return std::unexpected(Error{ErrorKind::Unsupported, "--kcore: the kernel hides its addresses"}.with_hint(
        "set kernel.kptr_restrict to 0"));
  }
  std::vector<Range> ranges{{page_down(text->start), page_up(text->end)}};
  Range modules{~u64{0}, 0};
  for (const LoadedModule& module : kernel_modules(root)) {
    if (module.start == 0) continue;
    modules.start = std::min(modules.start, page_down(module.start));
    modules.end = std::max(modules.end, page_up(module.start + module.size));
  }
  if (modules.end != 0) ranges.push_back(modules);
  return ranges;
}

template <class T>
Result<> read_struct(int fd, u64 offset, T& out) {
  const auto got = pread_full(fd, &out, sizeof out, offset);
  if (!got) return std::unexpected(got.error());
  if (*got != sizeof out) return fail(ErrorKind::Malformed, "/proc/kcore is truncated at {:#x}", offset + *got);
  return {};
}

// A range of memory to copy: its new program header, and its offset in /proc/kcore.
struct Segment {
  Elf64_Phdr header{};
  u64 source = 0;
};

Result<std::vector<Segment>> segments_of(int fd, const Elf64_Ehdr& header, const std::vector<Range>& ranges) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMostSegments) {
    return fail(ErrorKind::Malformed, "/proc/kcore is not a 64-bit ELF core");
  }
  std::vector<Segment> segments;
  for (u64 index = 0; index < header.e_phnum; ++index) {
    Elf64_Phdr program{};
    PEREGRINE_TRY(read_struct(fd, header.e_phoff + index * sizeof program, program));
    if (program.p_type != PT_LOAD) continue;
    for (const Range& range : ranges) {
      const u64 start = std::max(range.start, u64{program.p_vaddr});
      const u64 end = std::min(range.end, program.p_vaddr + program.p_filesz);
      if (start >= end) continue;
      Segment segment{program, program.p_offset + (start - program.p_vaddr)};
      segment.header.p_vaddr = start;
      // Only the part inside the range is copied, so all addresses move by the same distance.
      segment.header.p_paddr = program.p_paddr + (start - program.p_vaddr);
      segment.header.p_filesz = segment.header.p_memsz = end - start;
      segments.push_back(segment);
    }
  }
  if (segments.empty()) return fail(ErrorKind::Malformed, "/proc/kcore does not contain the kernel's code");
  return segments;
}

Result<> copy_bytes(int from, u64 source, u64 size, int to) {
  std::vector<std::byte> piece(kCopiedPiece);
  while (size > 0) {
    const auto wanted = static_cast<std::size_t>(std::min<u64>(size, kCopiedPiece));
    const auto got = pread_full(from, piece.data(), wanted, source);
    if (!got) return std::unexpected(got.error());
    std::fill(piece.begin() + static_cast<std::ptrdiff_t>(*got), piece.end(), std::byte{0});  // a hole in memory
    PEREGRINE_TRY(write_all(to, piece.data(), wanted));
    source += wanted;
    size -= wanted;
  }
  return {};
}

Result<Fd> create_in(int folder, const char* name) {
  Fd fd(::openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400));
  if (!fd) return fail_errno(name);
  return fd;
}

// The layout: ELF header | program headers | pages of the first segment | …
Result<Fd> copy_core(const Root& root, int folder) {
  const auto ranges = code_ranges(root);
  if (!ranges) return std::unexpected(ranges.error());
  auto core = open_file(root.path("/proc/kcore"), O_RDONLY);
  if (!core) return std::unexpected(core.error());
  Elf64_Ehdr header{};
  PEREGRINE_TRY(read_struct(core->get(), 0, header));
  auto segments = segments_of(core->get(), header, *ranges);
  if (!segments) return std::unexpected(std::move(segments.error()));
  auto out = create_in(folder, "kcore");
  if (!out) return out;
  header.e_phoff = sizeof header;
  header.e_phnum = static_cast<Elf64_Half>(segments->size());
  header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
  u64 place = page_up(sizeof header + segments->size() * sizeof(Elf64_Phdr));
  ByteWriter head;
  head.append(std::as_bytes(std::span(&header, 1)));
  for (Segment& segment : *segments) {
    segment.header.p_offset = place;
    place += page_up(segment.header.p_filesz);
    head.append(std::as_bytes(std::span(&segment.header, 1)));
  }
  head.zeros(page_up(head.size()) - head.size());
  PEREGRINE_TRY(write_all(out->get(), head.bytes().data(), head.size()));
  for (const Segment& segment : *segments) {
    PEREGRINE_TRY(copy_bytes(core->get(), segment.source, page_up(segment.header.p_filesz), out->get()));
  }
  return out;
}

Result<Fd> copy_text(const Root& root, const char* source, int folder, const char* name) {
  const auto text = root.read(source);
  if (!text) return std::unexpected(text.error());
  auto out = create_in(folder, name);
  if (!out) return out;
  PEREGRINE_TRY(write_all(out->get(), text->data(), text->size()));
  return out;
}

}  // namespace

Result<std::vector<Fd>> copy_kernel(const Root& root, int parent, const std::string& name) {
  if (::mkdirat(parent, name.c_str(), 0700) != 0) return fail_errno(name);
  Fd folder(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  std::vector<Fd> files;
  const auto keep = [&files](Result<Fd> file) -> Result<> {
    if (!file) return std::unexpected(std::move(file.error()));
    files.push_back(std::move(*file));
    return {};
  };
  auto copied = [&]() -> Result<> {
    if (!folder) return fail_errno(name);
    PEREGRINE_TRY(keep(copy_core(root, folder.get())));
    PEREGRINE_TRY(keep(copy_text(root, "/proc/kallsyms", folder.get(), "kallsyms")));
    return keep(copy_text(root, "/proc/modules", folder.get(), "modules"));
  }();
  if (copied) {
    files.push_back(std::move(folder));
    return files;
  }
  for (const char* file : {"kcore", "kallsyms", "modules"}) ::unlinkat(folder.get(), file, 0);
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
  return std::unexpected(std::move(copied.error()));
}

}  // namespace peregrine
