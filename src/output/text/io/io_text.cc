#include "output/text/io/io_text.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "output/text/format/printable.h"
#include "output/text/format/scaled.h"

namespace peregrine {

namespace {

// At most five characters: "123", "1.5M", "1023K". `step`: between units.
std::string short_number(u64 value, double step, std::string_view units) {
  if (value == 0) return "-";
  const auto [number, unit] = scaled(value, step, units.size());
  if (unit == 0) return fmt::format("{}", value);
  return number < 9.95 ? fmt::format("{:.1f}{}", number, units[unit - 1])
                       : fmt::format("{:.0f}{}", number, units[unit - 1]);
}

std::string short_count(u64 value) {
  constexpr u64 kWhole = 100'000;
  return value < kWhole && value != 0 ? fmt::format("{}", value) : short_number(value, 1000, "kMGTPE");
}

std::string short_bytes(u64 value) { return short_number(value, 1024, "KMGTPE"); }

// At most six characters: "12.3ms", three digits.
std::string short_time(u64 ns) {
  if (ns == 0) return "-";
  constexpr std::array<std::string_view, 4> kUnits = {"ns", "us", "ms", "s"};
  const auto [number, unit] = scaled(ns, 1000, kUnits.size() - 1);
  const int digits = unit == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", number, digits, kUnits[unit]);
}

void print_io_head(Sink& out) {
  out.append("----- system calls -----  - page cache (pages) -  ------ disk ------\n");
  out.append("calls asked given   time    hit  miss added dirty   reqs bytes   time  name\n");
}

void print_io_line(const IoNode& node, std::size_t depth, Sink& out) {
  const IoSums& sums = node.sums;
  out.format("{:>5} {:>5} {:>5} {:>6}  {:>5} {:>5} {:>5} {:>5}  {:>5} {:>5} {:>6}  {:{}}{}\n", short_count(sums.calls),
             short_bytes(sums.requested), short_bytes(sums.returned), short_time(sums.time), short_count(sums.hits),
             short_count(sums.misses), short_count(sums.added), short_count(sums.dirtied), short_count(sums.requests),
             short_bytes(sums.request_bytes), short_time(sums.request_time), "", depth, printable(node.label));
}

void print_io_parts(const IoNode& node, unsigned most, std::size_t depth, Sink& out) {
  std::size_t shown = 0;
  for (const IoNode& part : node.parts) {
    if (most != 0 && shown == most) {
      out.format("{:71}{:{}}({} more)\n", "", "", depth, node.parts.size() - shown);
      return;
    }
    ++shown;
    print_io_line(part, depth, out);
    print_io_parts(part, most, depth + 1, out);
  }
}

}  // namespace

void print_io_tree(const IoNode& tree, unsigned most, Sink& out) {
  if (tree.parts.empty()) {
    out.append("No I/O was recorded.\n");
    return;
  }
  print_io_head(out);
  print_io_line(IoNode{.label = "total", .sums = tree.sums, .parts = {}}, 0, out);
  print_io_parts(tree, most, 0, out);
}

}  // namespace peregrine
