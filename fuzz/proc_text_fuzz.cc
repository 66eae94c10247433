// /proc files about processes and modules, as a kernel, a container or a FUSE file system could provide them: status,
// maps, comm, modules.
#include <cstdlib>
#include <string_view>

#include "base/bytes.h"
#include "input.h"
#include "scratch_folder.h"
#include "sys/process/process.h"
#include "sys/root.h"

void peregrine::fuzz_proc_text(Bytes bytes) {
  static const ScratchFolder folder;
  const std::string_view text = as_text(bytes);
  for (const char* const name : {"proc/7/status", "proc/7/maps", "proc/7/comm", "proc/modules"}) folder.put(name, text);
  const Root root(folder.path());
  std::size_t used = 0;
  if (const auto status = status_of(root, 7)) used += status->comm.size();
  if (const auto comm = comm_of(root, 7)) used += comm->size();
  static_cast<void>(for_each_map(root, 7, [&](const MapLine& line) {
    if (line.path.size() > text.size()) std::abort();
    used += line.end - line.start + line.path.size();
  }));
  for (const LoadedModule& module : kernel_modules(root)) used += module.name.size();
  parse_map_line(text);
  static_cast<void>(used);
}
