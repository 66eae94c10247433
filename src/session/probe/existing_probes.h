// Existing probes: those in the kernel, and those that `probe --cache` and `buildid-cache --add` keep in the
// build-id cache. Lists and removes them, and compares them with their definitions.
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

// A removed event as shown in messages, or the reason why it was not removed.
using ProbeRemoval = Result<std::string>;

// Removes the matches of the patterns in `request.remove`, or only reports them in a dry run, and calls `tell` after
// each. A failure does not prevent other removals. Busy events get a moment to become idle. Errors: as
// list_probes().
Result<> remove_probes(const ProbeRequest& request, const ProbeHome& home, const Root& root,
                       const std::function<void(const ProbeRemoval&)>& tell);
// The same for the build-id cache, except for SDT markers, which stay. Stops at a file that cannot be written.
std::vector<ProbeRemoval> remove_cached_probes(const ProbeRequest& request, const ProbeHome& home);

// Prints whether the probes described by `definitions` exist where the definitions would put them now. The kernel keeps
// a probe at a file offset, whatever a later build has there. Returns whether all are correct. Errors: invalid
// definitions; as list_probes().
Result<bool> verify_probes(const ProbeRequest& request, const std::vector<std::string>& definitions,
                           const ProbeHome& home, const Root& root, Sink& out, SessionListener& listener);

}  // namespace peregrine
