#include "event/parse.h"

namespace peregrine {

Result<> bind_cgroups(EventList& list, std::string_view names, std::string_view mount, std::size_t& given) {
  if (list.empty()) {
    Error error{ErrorKind::Usage, "must define events before cgroups"};
    error.hint = "put -e EVENT in front of -G";
    return std::unexpected(std::move(error));
  }
  for (;;) {
    const auto comma = names.find(',');
    const auto name = names.substr(0, comma);
    if (!name.empty()) {
      if (given >= list.size()) {
        Error error{ErrorKind::Usage, fmt::format("no event is left for cgroup {}", name)};
        error.hint = "names are bound to events one by one; a single name holds for all events before it";
        return std::unexpected(std::move(error));
      }
      list[given].cgroup = fmt::format("{}/{}", mount, name);
    }
    ++given;
    if (comma == names.npos) break;
    names.remove_prefix(comma + 1);
  }
  if (given == 1)
    for (auto& spec : list) spec.cgroup = list.front().cgroup;
  return {};
}

}  // namespace peregrine
