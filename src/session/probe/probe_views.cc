#include "session/probe/probe_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "output/text/format/printable.h"
#include "probe/argument/variable_finder.h"
#include "probe/definition/definition.h"
#include "probe/definition/name_filter.h"
#include "probe/kernel_probes.h"
#include "probe/point/point_finder.h"
#include "probe/point/source_listing.h"
#include "probe/point/source_text.h"
#include "probe/program_probes.h"
#include "session/probe/probed_files.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/table/demangle.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

constexpr std::string_view kVariableFilter = "!__k???tab_* & !__crc_*", kFunctionFilter = "!_* & !*@plt";

Result<const DebugInformation*> information_of(ProbeProgram& program) {
  if (const DebugInformation* known = program.information()) return known;
  return std::unexpected(Error(program.no_information()));
}

void print_listing(const SourceListing& listing, bool reasons, Sink& out) {
  const std::string title = listing.function.empty() ? listing.path : listing.function + '@' + listing.path;
  out.format("<{}:{}>\n", printable(title), listing.first_shown);
  for (u32 line = listing.begin; line <= listing.end; ++line) {
    const std::string text = printable_line(listing.text->line(line));
    const std::string why = listing.reason(line);
    if (why.empty())
      out.format("{:7}  {}\n", line - listing.base, text);
    else if (reasons)
      out.format("{:7}  {}\n", "-", fmt::format("{}  [{}]", text, why));
    else
      out.format("{:9}{}\n", "", text);
  }
}

// Without debug information: a function's arguments, as described by the kernel's BTF.
Result<> show_kernel_variables(const ProbeRequest& request, const std::string& text, const ProbePlace& place,
                               const NameFilter& filter, const Error& no_information, Sink& out) {
  if (place.has_line || place.offset != 0 || !place.pattern.empty() || place.function.empty())
    return std::unexpected(Error(no_information));
  ProbedKernel kernel = probed_kernel();
  const auto functions = kernel.functions(request.module);
  if (!functions) return std::unexpected(functions.error());
  const auto function = std::ranges::find(*functions, place.function, &KernelFunction::name);
  if (function == functions->end())
    return fail(ErrorKind::NotFound, "function '{}' not found in the kernel or a loaded module", place.function);
  const auto rows = kernel_arguments(place.function, function->module, kernel);
  if (!rows) return std::unexpected(rows.error());
  out.format("Available variables at {}\n\t@<{}+0>\n", printable(text), printable(place.function));
  bool any = false;
  for (const ShownVariable& row : *rows) {
    if (!filter.accepts(row.name) || !row.available) continue;
    any = true;
    out.format("\t\t{}\t{}\n", printable(row.type), printable(row.name));
  }
  if (!any) out.append("\t\t(No matched variables)\n");
  return {};
}

Result<> show_kernel_functions(const ProbeRequest& request, const NameFilter& filter, Sink& out) {
  const ProbedKernel kernel = probed_kernel();
  const auto functions = kernel.functions(request.module);
  if (!functions) return std::unexpected(functions.error());
  for (const KernelFunction& function : *functions)
    if (filter.accepts(function.name)) out.append(printable(function.name)).append('\n');
  return {};
}

// Debug information may name a function differently from its symbol (malloc is __libc_malloc), so a failed search is
// repeated with that name. `find`: from a place or range to a Result. Not needed for kernels.
template <class Place, class Find>
auto find_by_either_name(ProbeProgram& program, const DebugInformation& information, const Place& place,
                         const Find& find) {
  auto found = find(place);
  if (found || place.function.empty() || program.is_kernel()) return found;
  Place renamed = place;
  renamed.function = debug_name(program.file(), information, place.function);
  if (!renamed.function.empty()) found = find(renamed);
  return found;
}

void print_variables(const ProbePoint& point, const VariableFinder& variables, const ProbeRequest& request,
                     const NameFilter& filter, Sink& out) {
  out.format("\t@<{}+{}>\n", printable(point.symbol), point.offset());
  bool any = false;
  for (const ShownVariable& row : variables.shown(point, {request.externals, request.ranges})) {
    if (!filter.accepts(row.name)) continue;
    any = true;
    out.append("\t\t");
    if (request.ranges) out.append(row.external ? "[EXT]\t" : row.available ? "[VAL]\t" : "[INV]\t");
    out.format("{}\t{}", printable(row.type), printable(row.name));
    if (!row.ranges.empty()) out.format("\t@{}", row.ranges);
    out.append('\n');
  }
  if (!any) out.append("\t\t(No matched variables)\n");
}

}  // namespace

Result<> show_probe_lines(const ProbeRequest& request, const std::string& range, const ProbeHome& home, Sink& out) {
  const auto parsed = parse_line_range(range);
  if (!parsed) return std::unexpected(parsed.error());
  auto program = open_probe_target(request, parsed->function, home);
  if (!program) return std::unexpected(std::move(program.error()));
  const auto information = information_of(**program);
  if (!information) return std::unexpected(information.error());
  SourceFinder sources(request.source);
  const auto listing = find_by_either_name(**program, **information, *parsed, [&](const LineRange& one) {
    return list_source(**information, one, sources);
  });
  if (!listing) return std::unexpected(listing.error());
  print_listing(*listing, request.verbose > 0, out);
  return {};
}

Result<> show_probe_variables(const ProbeRequest& request, const std::string& place, const ProbeHome& home, Sink& out) {
  if (place.find(' ') != std::string::npos) return fail(ErrorKind::Usage, "--vars takes no arguments to fetch");
  const auto parsed = parse_probe_place(place);
  if (!parsed) return std::unexpected(parsed.error());
  const auto filter = NameFilter::parse(request.filter.empty() ? kVariableFilter : request.filter);
  if (!filter) return std::unexpected(filter.error());
  auto program = open_probe_target(request, parsed->function, home);
  if (!program && request.program.empty())
    return show_kernel_variables(request, place, *parsed, *filter, program.error(), out);
  if (!program) return std::unexpected(std::move(program.error()));
  const auto information = information_of(**program);
  if (!information) return std::unexpected(information.error());
  ProbeWishes wishes = probe_wishes(request, (*program)->is_kernel());
  wishes.points.program = (*program)->file().name();
  SourceFinder sources(request.source);
  const auto points = find_by_either_name(**program, **information, *parsed, [&](const ProbePlace& one) {
    return PointFinder(**information, sources, wishes.points).find(one);
  });
  if (!points) return std::unexpected(points.error());
  const VariableFinder variables(**information, (*program)->file(), (*program)->frames(), wishes.abilities);
  out.format("Available variables at {}\n", printable(place));
  for (const ProbePoint& point : *points) print_variables(point, variables, request, *filter, out);
  return {};
}

Result<> show_probe_functions(const ProbeRequest& request, const std::string& filter, const ProbeHome& home,
                              Sink& out) {
  std::string_view pattern = filter;
  if (pattern.empty()) pattern = request.filter.empty() ? kFunctionFilter : std::string_view(request.filter);
  const auto names_wanted = NameFilter::parse(pattern);
  if (!names_wanted) return std::unexpected(names_wanted.error());
  const bool of_file = request.module.find('/') != std::string::npos || !request.vmlinux.empty();
  if (request.program.empty() && !of_file) return show_kernel_functions(request, *names_wanted, out);
  auto program = open_probe_target(request, "", home);
  if (!program) return std::unexpected(std::move(program.error()));
  const SymbolTable& symbols = (*program)->symbols();
  std::vector<std::string> names;
  for (u32 i = 0; i < symbols.size(); ++i) {
    const Symbol symbol = symbols.at(SymbolIndex(i));
    if (symbol.type == SymbolType::Object) continue;
    std::string name = request.demangle ? demangle(symbol.name) : symbol.name;
    if (names_wanted->accepts(name)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  for (const std::string& name : names) out.append(printable(name)).append('\n');
  return {};
}

}  // namespace peregrine
