#include "event/filter/address_filter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "base/types.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "event/syntax_error.h"
#include "support/elf_image.h"
#include "support/machine.h"

namespace peregrine {
namespace {

Symbol symbol(std::string name, u64 start, u64 end, SymbolBinding binding = SymbolBinding::Global) {
  Symbol made;
  made.name = std::move(name);
  made.start = start;
  made.end = end;
  made.binding = binding;
  return made;
}

// A program with main at 0x100 and two functions named twin, and a kernel with schedule.
class FewSymbols : public CodeSymbols {
 public:
  Result<std::string> place_of(std::string_view file) override {
    if (file != "prog") return fail(ErrorKind::NotFound, "no such file: {}", file);
    return std::string("/bin/prog");
  }
  Result<std::vector<Symbol>> named(const std::string& file, std::string_view name) override {
    if (file.empty() && name == "schedule") return std::vector{symbol("schedule", 0xffff0000, 0xffff0040)};
    if (file.empty()) return std::vector<Symbol>();
    if (name == "main") return std::vector{symbol("main", 0x100, 0x120)};
    if (name == "twin")
      return std::vector{symbol("twin", 0x200, 0x210, SymbolBinding::Local), symbol("twin", 0x300, 0x308)};
    if (name == "asm_entry") return std::vector{symbol("asm_entry", 0x400, 0x400)};
    return std::vector<Symbol>();
  }
  Result<Symbol> whole(const std::string&) override { return symbol("", 0x80, 0x500); }
};

std::string written(std::string_view text) {
  FewSymbols symbols;
  const auto filters = address_filters(text, symbols);
  if (filters) return filters->text;
  const SyntaxError& error = filters.error();
  return fmt::format("{}: {}{}{}{}{}", error.column, error.what, error.details.empty() ? "" : "\n", error.details,
                     error.hint.empty() ? "" : " / ", error.hint);
}

TEST(AddressFilter, RegionsAndPlaces) {
  EXPECT_EQ(written("filter main @ prog"), "filter 0x100/0x20@/bin/prog");
  EXPECT_EQ(written(" filter main / twin #2 @prog "), "filter 0x100/0x208@/bin/prog");
  EXPECT_EQ(written("filter 0x1000/0x20@prog"), "filter 0x1000/0x20@/bin/prog");
  EXPECT_EQ(written("filter main / 8 @ prog"), "filter 0x100/0x8@/bin/prog");
  EXPECT_EQ(written("filter * @ prog"), "filter 0x80/0x480@/bin/prog");
  EXPECT_EQ(written("start main @ prog, stop main @ prog"), "start 0x100@/bin/prog,stop 0x100@/bin/prog");
  EXPECT_EQ(written("start 4096 @ prog stop 0x2000 @ prog"), "start 0x1000@/bin/prog,stop 0x2000@/bin/prog");
  EXPECT_EQ(written("filter *"), "filter 0x80/0x480");
  EXPECT_EQ(written("filter schedule"), "filter 0xffff0000/0x40");
}

TEST(AddressFilter, TheKernelKnowsTracestopByItsSize) {
  EXPECT_EQ(written("tracestop main @ prog"), "stop 0x100/0x20@/bin/prog");
}

TEST(AddressFilter, SeveralOfOneName) {
  EXPECT_EQ(written("filter twin #1 @ prog"), "filter 0x200/0x10@/bin/prog");
  EXPECT_EQ(written("filter twin #g @ prog"), "filter 0x300/0x8@/bin/prog");
  EXPECT_EQ(written("filter twin #0 @ prog"), "filter 0x300/0x8@/bin/prog");
  EXPECT_EQ(written("filter twin @ prog"),
            "7: 2 symbols are named 'twin'\n#1  0x200, 16 bytes\n#2  0x300, 8 bytes, global / "
            "select one: twin #1, or twin #g for the global symbol");
  EXPECT_EQ(written("filter twin #3 @ prog"), "7: 2 symbols are named 'twin'");
}

TEST(AddressFilter, MistakesByTheirColumn) {
  EXPECT_EQ(written(""), "0: empty filter");
  EXPECT_EQ(written("trace main"), "0: expected an action / must be one of filter, start, stop, tracestop");
  EXPECT_EQ(written("filter "), "7: expected an address or a symbol");
  EXPECT_EQ(written("filter main"),
            "7: the kernel has no symbol 'main' / for a symbol of a program, add its file: main @ FILE");
  EXPECT_EQ(written("filter main@prog"),
            "7: the kernel has no symbol 'main@prog' / put spaces around symbols: filter main @ FILE");
  EXPECT_EQ(written("filter nothing @ prog"), "7: this file has no symbol 'nothing'");
  EXPECT_EQ(written("filter main @ other"), "14: no such file: other");
  EXPECT_EQ(written("filter main @"), "13: expected a file name after '@'");
  EXPECT_EQ(written("start main / 8 @ prog"), "11: 'start' takes a single address, not a region");
  EXPECT_EQ(written("filter 0x100 @ prog"), "7: unknown region size / add it after the start: / BYTES");
  EXPECT_EQ(written("filter asm_entry @ prog"), "7: unknown region size / add it after the start: / BYTES");
  EXPECT_EQ(written("filter twin #2 / main @ prog"), "17: 'main' is before the start");
  EXPECT_EQ(written("filter 12z @ prog"), "7: '12z' is not a number");
  EXPECT_EQ(written("filter main #x @ prog"), "12: expected a number, or g (the global symbol), after '#'");
}

// intel_pt on a fake machine with fake programs and a fake kernel.
class TracerFilter : public ::testing::Test {
 protected:
  TracerFilter() : fake_(PEREGRINE_FIXTURES, "intel-client"), sources_(fake_.root()) {
    ElfImage image;
    image.symtab = {{.name = "main", .value = 0x11040, .size = 0x20},
                    {.name = "_ZN1a1bEv", .value = 0x11080, .size = 8}};
    std::filesystem::create_directories(fake_.root().path("/bin"));
    image.write_to(fake_.root().path("/bin/prog"));
  }

  std::string filtered(std::string_view words, std::string_view filter) {
    EventList list;
    if (const auto parsed = parse_events(words, sources_, list); !parsed) return parsed.error().message;
    if (const auto set = set_filter(sources_, list, 0, filter, FilterUse::Sampling); !set)
      return set.error().message + " / " + set.error().hint;
    return *list[0].filter + (list[0].filters_addresses ? " (addresses)" : "");
  }

  testing::Machine fake_;
  EventSources sources_;
};

TEST_F(TracerFilter, FindsSymbolsInTheFile) {
  EXPECT_EQ(filtered("intel_pt//u", "filter main @ /bin/prog"), "filter 0x1040/0x20@/bin/prog (addresses)");
  EXPECT_EQ(filtered("intel_pt//u", "start a::b @ /bin/prog"), "start 0x1080@/bin/prog (addresses)");
}

TEST_F(TracerFilter, HasAsManyAsTheTracer) {
  EXPECT_EQ(filtered("intel_pt//u", "filter 1/1@/bin/prog,filter 2/1@/bin/prog,filter 3/1@/bin/prog"),
            "intel_pt//u: too many address filters (3) / intel_pt supports 2");
  EventList list;
  ASSERT_TRUE(parse_events("intel_pt//u", sources_, list));
  ASSERT_TRUE(set_filter(sources_, list, 0, "filter 1/1@/bin/prog", FilterUse::Sampling));
  ASSERT_TRUE(set_filter(sources_, list, 0, "filter 2/1@/bin/prog", FilterUse::Sampling));
  EXPECT_EQ(list[0].filter, "filter 0x1/0x1@/bin/prog,filter 0x2/0x1@/bin/prog");
  EXPECT_FALSE(set_filter(sources_, list, 0, "filter 3/1@/bin/prog", FilterUse::Sampling));
}

TEST_F(TracerFilter, OtherEventsHaveNone) {
  EXPECT_EQ(filtered("cycles", "filter main @ /bin/prog"),
            "This CPU does not support address filtering / cycles: only hardware tracers (intel_pt, cs_etm) filter by "
            "address");
  EXPECT_EQ(filtered("cycles", "period > 10"), "period > 10");
}

}  // namespace
}  // namespace peregrine
