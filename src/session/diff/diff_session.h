// DiffSession: compares recordings event by event; the first is the baseline for all others.
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

  // Gives binaries that are different builds of the baseline's the baseline's names.
  void add(std::unique_ptr<DiffFile> file, std::string name);

  // Warnings of all files.
  std::vector<const DsoTable*> dsos() const;
  // If a file lacks an event of the baseline, its side is blank.
  void warn_about_absent_events(SessionListener& listener) const;

  // Prints all events of the baseline, as text or, with a format, as rows.
  void print(const DiffLook& look, Sink& out) const;

  struct Pair {
    ComparedSide before, after;  // borrowed from the session
    std::string event;
  };
  // The first and last file, by the first event that has samples in both. Errors: NotFound.
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
