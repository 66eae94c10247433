// readable_place: which folders and files a confined reader may read: all but those that hold secrets.
//
// Landlock only ever allows, with everything beneath, so the folders above a secret are taken apart: each of their
// other entries is allowed by itself. Read once, when a sandbox is entered.
#pragma once
#include <functional>
#include <string>

#include "base/read_failures.h"
#include "sys/root.h"

namespace peregrine {

// Calls `allow` with each place. `home`: the user's, beside /root and those below /home; empty: none. What is in a
// folder that the machine fails to read stays out; `failures` records it.
void for_each_readable_place(const Root& root, const std::string& home, ReadFailures& failures,
                             const std::function<void(std::string)>& allow);

}  // namespace peregrine
