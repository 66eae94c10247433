#include "sys/kernel/smi_freeze.h"

#include <expected>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "sys/kernel/kernel_switch.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr std::string_view kFreezeKind = "freeze_on_smi\n";
constexpr std::string_view kFreezeSwitch = "/sys/devices/cpu/freeze_on_smi";

}  // namespace

Result<SmiFreeze> SmiFreeze::engage(const Root& root) {
  const auto state = root.number(kFreezeSwitch);
  if (!state)
    return std::unexpected(Error{ErrorKind::Unsupported, "freeze_on_smi is not supported.",
                                 "requires an Intel CPU that can stop its counters in system management mode"});
  if (*state != 0) return SmiFreeze({});
  SmiFreeze freeze(root.path(kFreezeSwitch));
  if (auto record = OwnershipRecord::create(root, kFreezeKind)) freeze.record_ = std::move(*record);
  PEREGRINE_TRY(write_switch(freeze.path_, '1'));
  return freeze;
}

SmiFreeze::~SmiFreeze() {
  if (!path_.empty() && write_switch(path_, '0') && record_) record_->settle();
}

bool undo_abandoned_freeze(const Root& root, OwnershipRecord& record) {
  if (record.text() != kFreezeKind) return false;
  if (write_switch(root.path(kFreezeSwitch), '0')) record.settle();
  return true;
}

}  // namespace peregrine
