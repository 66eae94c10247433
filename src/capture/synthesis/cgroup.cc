#include "capture/synthesis/cgroup.h"

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "abi/record_rows.h"
#include "capture/synthesis/record_encoder.h"
#include "sys/process/cgroup.h"

namespace peregrine {

void synthesize_cgroups(const Root& root, std::size_t trailer_size, ByteWriter& out) {
  const std::string mount = cgroup_mount(root);
  if (mount.empty()) return;
  std::vector<std::string> pending{"/"};
  while (!pending.empty()) {
    const std::string path = std::move(pending.back());
    pending.pop_back();
    const std::string folder = mount + path;
    struct stat64 status{};
    if (::stat64(root.path(folder).c_str(), &status) != 0) continue;
    RecordEncoder record(out, abi::RecordType::Cgroup, 0);
    record.body().put64(status.st_ino);
    record.text(path);
    record.end(trailer_size);
    for (const auto& name : root.sorted_names(folder)) {
      if (root.is_directory(folder + "/" + name)) pending.push_back(path == "/" ? path + name : path + "/" + name);
    }
  }
}

}  // namespace peregrine
