// One run of stat's workload, with the commands of --pre and --post.
#pragma once
#include "cmd/stat/stat_options.h"
#include "cmd/stat/stat_session.h"

namespace peregrine::cmd {

// --pre, --sync, the run, --post. Errors: the run's; System, a command before or after it fails.
Result<> run_once(StatSession& session, const StatRequest& request, const StatSession::OnInterval& on_interval);

// Words of a command line as a shell cuts them: blanks, '…', "…" and \. Errors (Usage): an open quote; a character
// that only a shell understands ($ ` | & ; < > * ? ( ) and so on), since a shell around the command would be counted
// too.
Result<std::vector<std::string>> split_command(std::string_view text);

}  // namespace peregrine::cmd
