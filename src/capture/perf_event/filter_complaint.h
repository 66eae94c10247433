// filter_complaint: the kernel parser's message about an invalid tracepoint filter. perf_event only returns EINVAL; the
// reason is available only through tracefs, so the filter is set again there, in a temporary trace instance.
#pragma once
#include <string>

namespace peregrine {

// Lines with a caret under the error; "" if an instance cannot be created or the kernel accepts the filter.
std::string filter_complaint(const std::string& system, const std::string& event, const std::string& filter);

// The last such message of tracefs' error_log, without "[  33.1] event filter parse error: error: ": one line, and
// after it those of the command and the caret. "" if there is none.
std::string last_filter_complaint(const std::string& log);

}  // namespace peregrine
