#include "cli/help/answer.h"

#include <algorithm>
#include <string>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "cli/help/completion_script.h"
#include "cli/help/manual.h"
#include "cli/help/short_help.h"
#include "cli/option/parser.h"
#include "output/terminal/terminal.h"

namespace peregrine {

namespace {

constexpr unsigned kMaxColumns = 100;

}  // namespace

unsigned manual_columns(const Invocation& call) {
  for (const char* name : {"MANWIDTH", "COLUMNS"}) {
    const auto text = call.config.variable(name);
    const unsigned columns = text ? leading_number<unsigned>(*text).value_or(0) : 0;
    if (columns != 0) return std::clamp(columns, 40u, 1000u);
  }
  return call.out_is_terminal ? std::min(terminal_size(1).columns, kMaxColumns) : kMaxColumns;
}

Result<int> answer(Invocation& call, const ParsedOptions& parsed) {
  const std::string& program = call.messages.program();
  switch (parsed.asked) {
    case Asked::ShortHelp:
      // Programs read these rows too, so wrap them only on a terminal.
      call.messages.verbatim(short_help(program, call.command, parsed.words,
                                        call.out_is_terminal && is_terminal(2) ? terminal_size(2).columns : 0));
      return kUsageExit;
    case Asked::ListOptions:
      call.out.append(option_words(call.command)).append('\n');
      return 0;
    case Asked::ListCommands:
      call.out.append(subcommand_list(call.command)).append('\n');
      return 0;
    case Asked::Manual:
      call.out.append(manual_text(make_manual(program, call.command), manual_columns(call)));
      return 0;
    case Asked::Run:
      break;
  }
  return 0;
}

}  // namespace peregrine
