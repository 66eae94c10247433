#include "sys/smi_freeze.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"

namespace peregrine {

namespace {

constexpr std::string_view kKind = "freeze_on_smi\n";
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
  SmiFreeze freeze(root.path(kSwitch));
  if (auto record = OwnershipRecord::create(root, kKind)) freeze.record_ = std::move(*record);
  PEREGRINE_TRY(write_switch(freeze.path_, '1'));
  return freeze;
}

SmiFreeze::~SmiFreeze() {
  if (!path_.empty() && write_switch(path_, '0') && record_) record_->settle();
}

bool undo_abandoned_freeze(const Root& root, OwnershipRecord& record) {
  if (record.text() != kKind) return false;
  if (write_switch(root.path(kSwitch), '0')) record.settle();
  return true;
}

}  // namespace peregrine
