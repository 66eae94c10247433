// remove_leftovers: removes what killed runs of this program left in the kernel; called at each start.
#pragma once
#include "cli/frame/message.h"
#include "sys/root.h"

namespace peregrine::cmd {

// Undoes what abandoned ownership records describe, and says what it removed and what it could not remove.
void remove_leftovers(const Root& root, Messages& messages);

}  // namespace peregrine::cmd
