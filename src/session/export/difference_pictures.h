// difference_pictures: pictures of two recordings: a flame graph coloured by change, as SVG or HTML page, or the stacks
// as text.
#pragma once
#include <string>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/naming.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "session/export/picture_request.h"
#include "session/export/pictures.h"
#include "session/export/profile_format.h"

namespace peregrine {

// One recording, with call chains counted by comm; `name`: of its file.
struct ComparedSide {
  const Hists& hists;
  Naming& naming;
  u32 event = 0;
  std::string name;
};
// Prints folded stacks with the weight of each side. Error (Usage): the format has an option that does not apply to two
// recordings.
Result<> write_folded_difference(const ProfileFormat& format, const ComparedSide& before, const ComparedSide& after,
                                 Sink& out);

struct DifferenceText {
  std::string event;        // the compared event's name
  bool as_counted = false;  // false: scale each side to 100 %
  std::string creator;      // "peregrine 0.1.0"
};
// Box widths show `after`. Errors: as write_whole_file().
Result<> write_difference_pictures(const PictureRequest& request, const ComparedSide& before, const ComparedSide& after,
                                   const DifferenceText& look, const PictureOutput& output);

}  // namespace peregrine
