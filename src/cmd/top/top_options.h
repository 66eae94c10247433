// The options of top: targets and events as for record, display as for report, and the refresh interval.
#pragma once
#include <string>

#include "analysis/annotate/symbol_listings.h"
#include "cmd/record/record_options.h"
#include "cmd/report/report_options.h"

namespace peregrine::cmd {

struct TopOptions {
  RecordCommandOptions record;
  ReportOptions report;
  unsigned delay = 2;    // seconds between two looks
  unsigned entries = 0;  // rows; 0: as many as the screen has
  u64 least_samples = 0;
  bool hide_kernel = false, hide_user = false;
  bool zero = false;  // each look shows what is new
  bool dump_symbols = false;
  std::string annotated;  // --sym-annotate
  std::string disassembler_style, objdump;
  bool code_bytes = false, source = true;
  bool ignore_vmlinux = false;

  // What perfconfig says of top, and of recording.
  Result<> configure(const Config& config);
};

// The command itself, in top.cc.
Result<int> top(TopOptions& options, Invocation& call);

// How top's options want code.
ListingRequest listing_request(const TopOptions& options);

}  // namespace peregrine::cmd
