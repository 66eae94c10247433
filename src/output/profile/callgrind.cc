#include "output/profile/callgrind.h"

#include <string>
#include <string_view>
#include <vector>

#include "analysis/profile/profile.h"
#include "base/types.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

class CallgrindPrinter {
 public:
  CallgrindPrinter(Sink& out, const Profile& profile, const CallCosts& costs)
      : out_(out),
        profile_(profile),
        costs_(costs),
        dso_named_(profile.dsos.size() + 1),
        text_named_(costs.texts.size() + 1),
        function_named_(costs.functions.size()) {}

  void print() {
    print_head();
    for (u32 function = 0; function < costs_.functions.size(); ++function) {
      const CallCosts::Body& body = costs_.bodies[function];
      if (body.lines.empty() && body.calls.empty()) continue;
      out_.append('\n');
      print_function("ob", "fl", "fn", function);
      for (const CallCosts::Line& line : body.lines) print_costs(line.line, line.costs);
      for (const CallCosts::Call& call : body.calls) print_call(call);
    }
    out_.append("\ntotals:");
    for (const u64 cost : costs_.total) out_.append(' ').decimal(cost);
    out_.append('\n');
  }

 private:
  void print_head();
  void print_function(std::string_view object, std::string_view file, std::string_view function, u32 at);
  void print_call(const CallCosts::Call& call);
  void print_costs(u32 line, const CallCosts::Costs& costs) {
    out_.decimal(line);
    for (const u64 cost : costs) out_.append(' ').decimal(cost);
    out_.append('\n');
  }
  // Writes "fn=(3) main" the first time, then "fn=(3)".
  void print_name(std::string_view key, u32 number, std::string_view text, std::vector<bool>& named) {
    out_.append(key).append("=(").decimal(number + 1).append(')');
    if (!named[number]) out_.append(' ').append(printable(text));
    named[number] = true;
    out_.append('\n');
  }

  Sink& out_;
  const Profile& profile_;
  const CallCosts& costs_;
  std::vector<bool> dso_named_, text_named_, function_named_;
};

// Event names are identifiers in this format, so other characters become '_'.
std::string event_word(std::string_view name) {
  std::string word;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    word += plain ? c : '_';
  }
  return word;
}

void CallgrindPrinter::print_head() {
  out_.append("# callgrind format\nversion: 1\n");
  out_.format("creator: {}\n", printable(profile_.creator));
  if (!profile_.command.empty()) out_.format("cmd: {}\n", printable(profile_.command));
  out_.append("positions: line\n");
  for (const u32 event : costs_.events) {
    const ProfileEvent& at = profile_.events[event];
    out_.format("event: {} : {}{}\n", event_word(at.name), printable(at.name), at.nanoseconds ? " (ns)" : "");
  }
  out_.append("event: Samples : samples\nevents:");
  for (const u32 event : costs_.events) out_.append(' ').append(event_word(profile_.events[event].name));
  out_.append(" Samples\nsummary:");
  for (const u64 cost : costs_.total) out_.append(' ').decimal(cost);
  out_.append('\n');
}

void CallgrindPrinter::print_function(std::string_view object, std::string_view file, std::string_view function,
                                      u32 at) {
  const CallCosts::Function& named = costs_.functions[at];
  if (named.dso == CallCosts::kNoDso)
    print_name(object, static_cast<u32>(profile_.dsos.size()), "???", dso_named_);
  else
    print_name(object, named.dso, profile_.dsos[named.dso].path, dso_named_);
  const u32 unknown = static_cast<u32>(costs_.texts.size());
  if (named.file.valid())
    print_name(file, named.file.value, costs_.texts.view(named.file), text_named_);
  else
    print_name(file, unknown, "???", text_named_);
  print_name(function, at, costs_.texts.view(named.name), function_named_);
}

void CallgrindPrinter::print_call(const CallCosts::Call& call) {
  print_function("cob", "cfi", "cfn", call.callee);
  out_.append("calls=").decimal(call.samples).append(' ').decimal(call.callee_line).append('\n');
  print_costs(call.line, call.costs);
}

}  // namespace

void print_callgrind(Sink& out, const Profile& profile, const CallCosts& costs) {
  CallgrindPrinter(out, profile, costs).print();
}

}  // namespace peregrine
