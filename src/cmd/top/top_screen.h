// TopScreen: top on the interactive screen: the browser of report over a profile that changes.
#pragma once
#include "cmd/top/top_view.h"

namespace peregrine::cmd {

// Until q, a signal, or the end of what is observed. Unsupported: this build or terminal cannot.
Result<> show_top(TopView& view, TopOptions& options, Invocation& call);

}  // namespace peregrine::cmd
