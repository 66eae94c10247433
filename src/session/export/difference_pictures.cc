#include "session/export/difference_pictures.h"

#include <fmt/format.h>

#include <expected>
#include <string>

#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/picture/stack_profile.h"
#include "base/result.h"
#include "base/types.h"
#include "output/html/profile_page.h"
#include "output/profile/folded_difference.h"
#include "output/sink.h"
#include "output/svg/flame_graph.h"
#include "output/text/format/grouped_number.h"
#include "output/text_file.h"
#include "session/export/picture_request.h"

namespace peregrine {

namespace {

StackProfile joined_profile(const ComparedSide& before, const ComparedSide& after) {
  StackProfileMaker maker;
  StackProfileMaker::Recording base{before.hists, before.naming}, fresh{after.hists, after.naming};
  maker.add(fresh, {.name = after.name, .event = after.event});
  maker.add(base, {.name = before.name, .event = before.event});
  return maker.finish();
}

}  // namespace

Result<> write_folded_difference(const ProfileFormat& format, const ComparedSide& before, const ComparedSide& after,
                                 Sink& out) {
  if (format.fold.pid || format.fold.tid || format.fold.addresses || !format.event.empty())
    return std::unexpected(
        Error{ErrorKind::Usage, "diff --format folded takes only count, kernel, jit and inlined"}.with_hint(
            "processes, addresses and events differ between recordings"));
  print_folded_difference(out, joined_profile(before, after),
                          {.by_count = format.by_count,
                           .mark_kernel = format.fold.mark_kernel,
                           .mark_jit = format.fold.mark_jit,
                           .mark_inlined = format.fold.mark_inlined});
  return {};
}

Result<> write_difference_pictures(const PictureRequest& request, const ComparedSide& before, const ComparedSide& after,
                                   const DifferenceText& look, const PictureOutput& output) {
  StackProfile profile = joined_profile(before, after);
  const std::string title =
      request.title.empty() ? fmt::format("{}, compared with {}", after.name, before.name) : request.title;
  const std::string summary =
      fmt::format("{}; samples: old {}, new {}", look.event, grouped_number(profile.series[1].samples()),
                  grouped_number(profile.series[0].samples()));
  const auto write = [&](const std::string& path, const auto& print) -> Result<> {
    if (path.empty()) return {};
    PEREGRINE_TRY(write_whole_file(path, output.out, print));
    output.listener.note(fmt::format("wrote {} (changes from {} to {})", shown_path(path), before.name, after.name));
    return {};
  };
  const std::string unit(period_unit(look.event));
  PEREGRINE_TRY(write(request.flame_graph, [&](Sink& out) {
    const FlameTree tree = make_flame_tree(
        profile, {.series = 0, .base = 1, .normalised = !look.as_counted, .reversed = request.reversed});
    print_flame_graph(out, tree, {.title = title, .subtitle = summary, .unit = unit, .inverted = request.inverted});
  }));
  PEREGRINE_TRY(write(request.html, [&](Sink& out) {
    PageText text{
        .title = title, .subtitle = summary, .made_by = look.creator, .units = {unit, unit}, .compared = true};
    text.as_counted = look.as_counted;
    text.facts = {{"Base", before.name}, {"Compared", after.name}, {"Event", look.event}};
    text.narrow = fit_profile(profile, {});
    print_profile_page(out, {.profile = profile}, text);
  }));
  return {};
}

}  // namespace peregrine
