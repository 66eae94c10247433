#include "sys/smi_freeze.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"

namespace peregrine {

namespace {

constexpr std::string_view kSwitch = "/sys/devices/cpu/freeze_on_smi";

Result<> write_switch(const std::string& path, char state) {
  auto file = open_file(path, O_WRONLY | O_TRUNC);
  if (!file) return std::unexpected(std::move(file.error()));
  if (write(file->get(), &state, 1) != 1) return fail_errno(path);
  return {};
}

}  // namespace

Result<SmiFreeze> SmiFreeze::engage(const Root& root) {
  const auto state = root.number(kSwitch);
  if (!state)
    return std::unexpected(Error{ErrorKind::Unsupported, "freeze_on_smi is not supported.",
                                 "it needs an Intel CPU whose counters can stop in system management mode"});
  if (*state != 0) return SmiFreeze({});
  const std::string path = root.path(kSwitch);
  PEREGRINE_TRY(write_switch(path, '1'));
  return SmiFreeze(path);
}

SmiFreeze::~SmiFreeze() {
  if (!path_.empty()) static_cast<void>(write_switch(path_, '0'));
}

}  // namespace peregrine
