// DiffSession: recordings side by side: the first is the baseline that all others are compared with, event by event.
//
// Main thread only.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/hist/key/columns.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "session/diff/diff_file.h"
#include "session/diff/diff_request.h"
#include "session/export/difference_pictures.h"
#include "session/export/rows_writer.h"
#include "session/session_listener.h"

namespace peregrine {

class DiffSession {
 public:
  // `request` must outlive the session. `columns`: diff_columns().
  DiffSession(const DiffRequest& request, Columns columns) : request_(request), columns_(std::move(columns)) {}

  // Binaries that are other builds of the baseline's get the names of those.
  void add(std::unique_ptr<DiffFile> file, std::string name);

  // Of all files, for warnings.
  std::vector<const DsoTable*> dsos() const;
  // Where a file lacks an event of the baseline, its side is blank.
  void warn_about_absent_events(SessionListener& listener) const;

  // All events of the baseline, as text or, with a format, as rows.
  void print(const DiffLook& look, Sink& out) const;

  struct Pair {
    ComparedSide before, after;  // borrowed from the session
    std::string event;
  };
  // The first and the last file, by the first event with samples that both have. Errors: NotFound.
  Result<Pair> first_and_last() const;

 private:
  void compare_event(u32 event, const DiffLook& look, RowsWriter* writer, Sink& out) const;
  void compare_blocks(u32 event, const DiffLook& look, RowsWriter* writer, Sink& out) const;
  void compare_streams(u32 event, Sink& out) const;

  const DiffRequest& request_;
  Columns columns_;
  std::vector<std::unique_ptr<DiffFile>> files_;
  std::vector<std::string> names_;
};

}  // namespace peregrine
