// The I/O of processes in a recording: system calls, page cache and block requests in one table, for io report. Main
// thread only.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/io/io_row.h"
#include "base/result.h"
#include "output/sink.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"
#include "sys/process/process.h"

namespace peregrine {

struct IoReportRequest {
  std::vector<IoKey> keys{IoKey::Process, IoKey::File, IoKey::Operation};
  IoOrder order = kIoOrders.front();
  unsigned rows = 20;          // of each group; 0: all
  std::string separator;       // of CSV, which has all rows; empty: text
  std::vector<Pid> processes;  // with their children; empty: all
  Pid recorder = -1;           // only the programs that this process started; -1: all
};
// "process,file,operation". Errors: Usage, an unknown key or one given twice.
Result<std::vector<IoKey>> parse_io_keys(std::string_view list);
// Errors: Usage, an unknown name.
Result<IoOrder> parse_io_order(std::string_view name);

Result<> show_io_report(TracedRecording& recording, const IoReportRequest& request, Sink& out,
                        SessionListener& listener);

}  // namespace peregrine
