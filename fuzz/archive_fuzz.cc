// An archive: the header of every member, and the contents of the first megabytes.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "base/bytes.h"
#include "base/fd.h"
#include "input.h"
#include "pipeline/bundle/tar_reader.h"

void peregrine::fuzz_archive(Bytes bytes) {
  const Fd input(memfd_create("input", MFD_CLOEXEC));
  if (write(input.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return;
  auto tar = TarReader::open(fmt::format("/proc/self/fd/{}", input.get()));
  if (!tar) return;
  std::size_t left = std::size_t{4} << 20;
  TarMember member;
  for (auto more = tar->next(member); more && *more && member.size < left; more = tar->next(member)) {
    for (auto piece = tar->read(); piece && !piece->empty(); piece = tar->read()) left -= std::min(left, piece->size());
  }
}
