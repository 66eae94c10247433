// The probes that exist: those in the kernel, and those that `probe --cache` and `buildid-cache --add` keep in the
// build-id cache. They are listed, removed, and compared with their definitions.
//
// A pattern is a glob of GROUP:EVENT, or of EVENT in any group. `root`: the system with the tracefs; Root() outside of
// tests.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "output/sink.h"
#include "session/probe/probe_request.h"
#include "session/session_listener.h"
#include "sys/root.h"

namespace peregrine {

// Prints one line per place of each event, sorted by name; an empty pattern means all. Errors: the kernel has no
// dynamic probes, or hides them.
Result<> list_probes(const ProbeRequest& request, const std::string& pattern, const ProbeHome& home, const Root& root,
                     Sink& out);
// The same for the build-id cache; an empty pattern means all.
void list_cached_probes(const std::string& pattern, const ProbeHome& home, Sink& out);

// One event that was removed, as a message shows it, or the reason why none was.
using ProbeRemoval = Result<std::string>;

// Removes what the patterns in `request.remove` match, or only says so in a dry run, and calls `tell` after each. A
// failure does not keep the others from being removed. An event that is in use gets a moment to become idle. Errors: as
// list_probes().
Result<> remove_probes(const ProbeRequest& request, const ProbeHome& home, const Root& root,
                       const std::function<void(const ProbeRemoval&)>& tell);
// The same for the build-id cache, where SDT markers stay. Stops at a file that cannot be written.
std::vector<ProbeRemoval> remove_cached_probes(const ProbeRequest& request, const ProbeHome& home);

// Prints whether the probes that `definitions` describe exist where these would put them now. The kernel keeps a probe
// at an offset in a file, whatever the file's next build has there. Returns whether all of them are right. Errors: of a
// definition, and as list_probes().
Result<bool> verify_probes(const ProbeRequest& request, const std::vector<std::string>& definitions,
                           const ProbeHome& home, const Root& root, Sink& out, SessionListener& listener);

}  // namespace peregrine
