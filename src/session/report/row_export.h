// export_rows(): the rows of report's tables as csv, json or jsonl.
#pragma once
#include <string_view>

#include "output/sink.h"
#include "session/report/report_session.h"

namespace peregrine {

// Call after session.finish().
void export_rows(std::string_view format, ReportSession& session, Sink& out);

}  // namespace peregrine
