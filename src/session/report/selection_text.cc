#include "session/report/selection_text.h"

#include <fmt/format.h>

#include <string_view>

namespace peregrine {

std::string selection_text(const SampleSelection& selection) {
  std::string text;
  const auto add = [&](std::string_view option, std::string_view value) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", option, value.empty() ? "" : " ", value);
  };
  const auto add_list = [&](std::string_view option, std::string_view value) {
    if (!value.empty()) add(option, value);
  };
  add_list("--comms", selection.comms);
  add_list("--dsos", selection.dsos);
  add_list("--symbols", selection.symbols);
  add_list("--pid", selection.pids);
  add_list("--tid", selection.tids);
  add_list("--cpu", selection.cpus);
  add_list("--time", selection.times);
  add_list("--parallelism", selection.parallelisms);
  if (selection.socket >= 0) add("--socket-filter", fmt::format("{}", selection.socket));
  if (selection.exclude_other) {
    if (selection.parent) add("--parent", *selection.parent);
    add("--exclude-other", "");
  }
  if (selection.hide_unresolved) add("--hide-unresolved", "");
  if (selection.hide_idle) add("--no-idle", "");
  return text;
}

}  // namespace peregrine
