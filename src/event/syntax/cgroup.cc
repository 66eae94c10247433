#include <fmt/format.h>

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "event/spec.h"
#include "event/syntax/parse.h"

namespace peregrine {

namespace {

void put_in_cgroup(EventSpec& spec, std::string_view name, std::string_view mount) {
  spec.cgroup = fmt::format("{}/{}", mount, name);
  spec.cgroup_name = name;
}

}  // namespace

Result<> bind_cgroups(EventList& list, std::string_view names, std::string_view mount, std::size_t& given) {
  if (list.empty()) {
    Error error{ErrorKind::Usage, "must define events before cgroups"};
    error.hint = "put -e EVENT before -G";
    return std::unexpected(std::move(error));
  }
  for (;;) {
    const auto comma = names.find(',');
    const auto name = names.substr(0, comma);
    if (!name.empty()) {
      if (given >= list.size()) {
        Error error{ErrorKind::Usage, fmt::format("no event left for cgroup {}", name)};
        error.hint = "cgroups are matched to events one by one; a single cgroup applies to all events before it";
        return std::unexpected(std::move(error));
      }
      put_in_cgroup(list[given], name, mount);
    }
    ++given;
    if (comma == names.npos) break;
    names.remove_prefix(comma + 1);
  }
  if (given == 1)
    for (auto& spec : list) {
      spec.cgroup = list.front().cgroup;
      spec.cgroup_name = list.front().cgroup_name;
    }
  return {};
}

void expand_cgroups(EventList& list, std::span<const std::string> names, std::string_view mount) {
  const EventList once = std::move(list);
  list.clear();
  for (const std::string& name : names) {
    const std::size_t first = list.size();
    for (EventSpec spec : once) {
      spec.leader += first;
      put_in_cgroup(spec, name, mount);
      list.push_back(std::move(spec));
    }
  }
}

}  // namespace peregrine
