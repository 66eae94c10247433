#include "output/profile/butterfly_text.h"

#include <cstddef>
#include <string>

#include "base/percent.h"
#include "base/text/counted.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

class ButterflyPrinter {
 public:
  ButterflyPrinter(Sink& out, const Profile& profile, const CallButterfly& butterfly)
      : out_(out), profile_(profile), butterfly_(butterfly) {}

  void print_block(const CallButterfly::Function& function) {
    for (const CallButterfly::Edge& edge : function.callers) print_edge(edge, function.total);
    if (function.outermost != 0 && !function.callers.empty())
      print_share(function.outermost, function.total, "[no caller]");
    out_.format("{:>8.2f}% {:>8.2f}%  {}\n", percent_of(function.total, butterfly_.weight),
                percent_of(function.self, butterfly_.weight), name_of(function));
    if (function.self != 0 && !function.callees.empty()) print_share(function.self, function.total, "[self]");
    for (const CallButterfly::Edge& edge : function.callees) print_edge(edge, function.total);
    out_.append(std::string(60, '-')).append('\n');
  }

 private:
  std::string name_of(const CallButterfly::Function& function) const {
    const std::string dso = function.dso < profile_.dsos.size() ? profile_.dsos[function.dso].name : "[unknown]";
    const std::string name(butterfly_.texts.view(function.name));
    return printable(name.starts_with('[') ? name : name + "  " + (dso.starts_with('[') ? dso : "[" + dso + "]"));
  }
  void print_share(u64 part, u64 whole, const std::string& name) {
    out_.format("{:9} {:>8.2f}%      {}\n", "", percent_of(part, whole), name);
  }
  void print_edge(const CallButterfly::Edge& edge, u64 whole) {
    print_share(edge.weight, whole, name_of(butterfly_.functions[edge.function]));
  }

  Sink& out_;
  const Profile& profile_;
  const CallButterfly& butterfly_;
};

}  // namespace

void print_butterfly(Sink& out, const Profile& profile, const CallButterfly& butterfly, const ButterflyLook& look) {
  const ProfileEvent& event = profile.events[look.event];
  out.format("# {} of event '{}'{}\n#\n", counted(event.samples, "sample"), printable(event.name),
             look.by_count || !event.nanoseconds ? "" : ", weighted by time");
  out.append("# Each block: the callers of a function, the function, and what it calls.\n");
  out.append("#   Total     Self  Function       its shares of all samples\n");
  out.append("#            Share      Caller, callee  their shares of the function's total\n#\n");
  ButterflyPrinter printer(out, profile, butterfly);
  std::size_t hidden = 0;
  for (const CallButterfly::Function& function : butterfly.functions) {
    const double share = 100.0 * static_cast<double>(function.total);
    if (function.total == 0 || share < look.least_percent * static_cast<double>(butterfly.weight))
      ++hidden;
    else
      printer.print_block(function);
  }
  if (hidden != 0) out.format("# {} below {}% not shown\n", counted(hidden, "function"), look.least_percent);
}

}  // namespace peregrine
