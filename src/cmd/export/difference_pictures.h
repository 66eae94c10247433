// difference pictures: diff's pictures of two recordings: a flame graph coloured by change, as SVG or as a page, or its
// stacks.
#pragma once
#include <string>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/naming.h"
#include "cli/frame/command.h"
#include "cmd/export/picture_options.h"
#include "cmd/recording/format_option.h"

namespace peregrine::cmd {

// One recording, counted by comm with call chains; `name`: of its file.
struct ComparedSide {
  const Hists& hists;
  Naming& naming;
  u32 event = 0;
  std::string name;
};
// Folded stacks with what fell on them on either side. Error (Usage): a word of --format that both sides do not share.
Result<> write_folded_difference(const FormatOptions& format, const ComparedSide& before, const ComparedSide& after,
                                 Invocation& call);
// Widths are those of `after`. Unless `as_counted`, both sides count as much.
Result<int> write_difference_pictures(const PictureOptions& options, const ComparedSide& before,
                                      const ComparedSide& after, const std::string& event, bool as_counted,
                                      Invocation& call);

}  // namespace peregrine::cmd
