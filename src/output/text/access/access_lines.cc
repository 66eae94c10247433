#include "output/text/access/access_lines.h"

#include <string_view>
#include <utility>

#include "abi/data_source.h"
#include "abi/sample.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/text/format/printable.h"

namespace peregrine {

AccessLines::AccessLines(AccessStyle style, Sink& out) : style_(std::move(style)), out_(out) {
  out_.format("# PID, TID, IP, ADDR, {}LOCAL WEIGHT, DSRC, {}SYMBOL\n", style_.physical_address ? "PHYS ADDR, " : "",
              style_.data_page_size ? "DATA PAGE SIZE, " : "");
}

void AccessLines::sample(const ReplaySample& replayed, Resolver& resolver, unsigned) {
  const abi::Sample& sample = replayed.sample;
  const Frame& frame = resolver.at(resolver.frame(replayed.context, sample.ip, sample.cpumode()));
  if (style_.hide_unresolved && !frame.symbol) return;
  const std::string& gap = style_.separator;
  out_.format("{}{}{}{}{:#x}{}{:#x}{}", static_cast<i32>(sample.pid), gap, static_cast<i32>(sample.tid), gap,
              frame.address, gap, sample.addr, gap);
  if (style_.physical_address) out_.format("{:#018x}{}", sample.phys_addr, gap);
  out_.format("{}{}{:#x}{}", sample.weight, gap, sample.data_src, gap);
  if (style_.data_page_size) out_.append(abi::page_size_text(sample.data_page_size)).append(gap);
  const std::string_view dso = frame.dso ? std::string_view(resolver.machine().dsos().at(frame.dso).name) : "???";
  const std::string_view symbol = frame.symbol ? resolver.symbol_name(frame) : "???";
  out_.append(printable(dso)).append(':').append(printable(symbol)).append('\n');
}

}  // namespace peregrine
