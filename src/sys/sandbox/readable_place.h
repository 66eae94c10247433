// readable_place: the folders and files that a confined reader may read: everything except secrets.
//
// A Landlock rule can only allow a folder with everything below it, so for a folder that contains a secret each of the
// other entries is allowed individually. Computed once, when a sandbox is entered.
#pragma once
#include <functional>
#include <string>

#include "base/file/read_failures.h"
#include "sys/root.h"

namespace peregrine {

// Calls `allow` with each place. `home`: the user's home, in addition to /root and those in /home; may be empty. The
// contents of a folder that the machine fails to read are left out; `failures` records it.
void for_each_readable_place(const Root& root, const std::string& home, ReadFailures& failures,
                             const std::function<void(std::string)>& allow);

}  // namespace peregrine
