// What `probe` shows without changing anything: source lines, variables, functions.
#include <algorithm>

#include "cmd/probe/probe_options.h"
#include "probe/definition/name_filter.h"
#include "probe/point/source_listing.h"
#include "symbol/table/demangle.h"

namespace peregrine::cmd {
namespace {

constexpr std::string_view kVariableFilter = "!__k???tab_* & !__crc_*", kFunctionFilter = "!_* & !*@plt";

std::string word_of(const std::optional<std::string>& value, const Invocation& call) {
  if (value && !value->empty()) return *value;
  return call.words.empty() ? std::string() : call.words.front();
}

Result<const DebugInformation*> information_of(ProbeProgram& program) {
  if (const DebugInformation* known = program.information()) return known;
  return std::unexpected(Error(program.no_information()));
}

void print_listing(const SourceListing& listing, bool reasons, Sink& out) {
  const std::string title = listing.function.empty() ? listing.path : listing.function + '@' + listing.path;
  out.format("<{}:{}>\n", title, listing.first_shown);
  for (u32 line = listing.begin; line <= listing.end; ++line) {
    const std::string_view text = listing.text->line(line);
    const std::string why = listing.reason(line);
    if (why.empty())
      out.format("{:7}  {}\n", line - listing.base, text);
    else if (reasons)
      out.format("{:7}  {}\n", "-", fmt::format("{}  [{}]", text, why));
    else
      out.format("{:9}{}\n", "", text);
  }
}

Result<int> show_kernel_variables(const ProbeRequest& request, const std::string& words, const ProbePlace& place,
                                  const NameFilter& filter, const Error& no_information, Invocation& call) {
  if (place.has_line || place.offset != 0 || !place.pattern.empty() || place.function.empty())
    return std::unexpected(Error(no_information));
  ProbedKernel kernel = probed_kernel();
  const auto functions = kernel.functions(request.module);
  if (!functions) return std::unexpected(functions.error());
  const auto function = std::ranges::find(*functions, place.function, &KernelFunction::name);
  if (function == functions->end())
    return fail(ErrorKind::NotFound, "there is no function {} in the kernel or a loaded module", place.function);
  const auto rows = kernel_arguments(place.function, function->module, kernel);
  if (!rows) return std::unexpected(rows.error());
  call.out.format("Available variables at {}\n\t@<{}+0>\n", words, place.function);
  bool any = false;
  for (const ShownVariable& row : *rows) {
    if (!filter.accepts(row.name) || !row.available) continue;
    any = true;
    call.out.format("\t\t{}\t{}\n", row.type, row.name);
  }
  if (!any) call.out.append("\t\t(No matched variables)\n");
  return 0;
}

Result<int> show_kernel_functions(const ProbeRequest& request, const NameFilter& filter, Invocation& call) {
  ProbedKernel kernel = probed_kernel();
  const auto functions = kernel.functions(request.module);
  if (!functions) return std::unexpected(functions.error());
  for (const KernelFunction& function : *functions)
    if (filter.accepts(function.name)) call.out.append(function.name).append('\n');
  return 0;
}

}  // namespace

Result<int> show_probe_lines(const ProbeRequest& request, Invocation& call) {
  const std::string words = word_of(request.line, call);
  if (words.empty()) return fail(ErrorKind::Usage, "--line wants a function or source file");
  const auto range = parse_line_range(words);
  if (!range) return std::unexpected(range.error());
  auto program = open_probe_target(request, range->function, probe_home(call));
  if (!program) return std::unexpected(std::move(program.error()));
  const auto information = information_of(**program);
  if (!information) return std::unexpected(information.error());
  SourceFinder sources(request.source);
  auto listing = list_source(**information, *range, sources);
  if (!listing && !range->function.empty() && !(*program)->is_kernel()) {
    LineRange renamed = *range;
    renamed.function = debug_name((*program)->file(), **information, range->function);
    if (!renamed.function.empty()) listing = list_source(**information, renamed, sources);
  }
  if (!listing) return std::unexpected(listing.error());
  print_listing(*listing, request.verbose > 0, call.out);
  return 0;
}

Result<int> show_probe_variables(const ProbeRequest& request, Invocation& call) {
  const std::string words = word_of(request.variables, call);
  if (words.empty()) return fail(ErrorKind::Usage, "--vars wants a place, such as a function");
  if (words.find(' ') != std::string::npos) return fail(ErrorKind::Usage, "--vars takes no arguments to fetch");
  const auto place = parse_probe_place(words);
  if (!place) return std::unexpected(place.error());
  const auto filter = NameFilter::parse(request.filter.empty() ? kVariableFilter : request.filter);
  if (!filter) return std::unexpected(filter.error());
  auto program = open_probe_target(request, place->function, probe_home(call));
  if (!program && request.program.empty())
    return show_kernel_variables(request, words, *place, *filter, program.error(), call);
  if (!program) return std::unexpected(std::move(program.error()));
  const auto information = information_of(**program);
  if (!information) return std::unexpected(information.error());
  ProbeWishes wishes = probe_wishes(request, (*program)->is_kernel());
  wishes.points.program = (*program)->file().name();
  SourceFinder sources(request.source);
  auto points = PointFinder(**information, sources, wishes.points).find(*place);
  if (!points && !place->function.empty() && !(*program)->is_kernel()) {
    ProbePlace renamed = *place;
    renamed.function = debug_name((*program)->file(), **information, place->function);
    if (!renamed.function.empty()) points = PointFinder(**information, sources, wishes.points).find(renamed);
  }
  if (!points) return std::unexpected(points.error());
  const VariableFinder variables(**information, (*program)->file(), (*program)->frames(), wishes.abilities);
  call.out.format("Available variables at {}\n", words);
  for (const ProbePoint& point : *points) {
    call.out.format("\t@<{}+{}>\n", point.symbol, point.offset());
    bool any = false;
    for (const ShownVariable& row : variables.shown(point, {request.externals, request.ranges})) {
      if (!filter->accepts(row.name)) continue;
      any = true;
      call.out.append("\t\t");
      if (request.ranges) call.out.append(row.external ? "[EXT]\t" : row.available ? "[VAL]\t" : "[INV]\t");
      call.out.format("{}\t{}", row.type, row.name);
      if (!row.ranges.empty()) call.out.format("\t@{}", row.ranges);
      call.out.append('\n');
    }
    if (!any) call.out.append("\t\t(No matched variables)\n");
  }
  return 0;
}

Result<int> show_probe_functions(const ProbeRequest& request, Invocation& call) {
  std::string pattern = word_of(request.functions, call);
  if (pattern.empty()) pattern = request.filter.empty() ? kFunctionFilter : request.filter;
  const auto filter = NameFilter::parse(pattern);
  if (!filter) return std::unexpected(filter.error());
  const bool of_file = request.module.find('/') != std::string::npos || !request.vmlinux.empty();
  if (request.program.empty() && !of_file) return show_kernel_functions(request, *filter, call);
  auto program = open_probe_target(request, "", probe_home(call));
  if (!program) return std::unexpected(std::move(program.error()));
  const SymbolTable& symbols = (*program)->symbols();
  std::vector<std::string> names;
  for (u32 i = 0; i < symbols.size(); ++i) {
    const Symbol symbol = symbols.at(SymbolIndex(i));
    if (symbol.type == SymbolType::Object) continue;
    std::string name = request.demangle ? demangle(symbol.name) : symbol.name;
    if (filter->accepts(name)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  for (const std::string& name : names) call.out.append(name).append('\n');
  return 0;
}

}  // namespace peregrine::cmd
