#include "event/syntax/kernel_symbol.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "event/filter/address_filter.h"
#include "support/machine.h"

namespace peregrine {
namespace {

constexpr std::string_view kSymbolLines =
    "/proc/kallsyms = 0000000000014000 A per_cpu_start\\nffffffff81000000 T _text\\nffffffff81000100 T schedule\\n"
    "ffffffff81000180 t schedule_tail\\nffffffff81000200 T do_exit\\nffffffff82605000 D jiffies\\n"
    "ffffffffc0201000 d counter\\t[ext4]\\n0000000000000000 D hidden\\nshort\\nffffffff8 X\\n";

// The address, or "KIND message; hint".
std::string looked_up(std::string_view text, std::string_view kallsyms = kSymbolLines) {
  const testing::Machine machine;
  if (!kallsyms.empty()) machine.write(std::string(kallsyms));
  const auto address = kernel_symbol_address(machine.root(), text);
  if (address) return fmt::format("{:x}", *address);
  const Error& error = address.error();
  const std::string_view kind = error.kind == ErrorKind::NotFound ? "NotFound"
                                : error.kind == ErrorKind::Denied ? "Denied"
                                : error.kind == ErrorKind::Usage  ? "Usage"
                                                                  : "other";
  return fmt::format("{} {}; {}", kind, error.message, error.hint);
}

TEST(KernelSymbol, HasTheAddressOfKallsyms) {
  EXPECT_EQ(looked_up("jiffies"), "ffffffff82605000");
  EXPECT_EQ(looked_up("counter"), "ffffffffc0201000");  // of a module
  EXPECT_EQ(looked_up("_text"), "ffffffff81000000");
}

TEST(KernelSymbol, MayHaveAnOffset) {
  EXPECT_EQ(looked_up("jiffies+8"), "ffffffff82605008");
  EXPECT_EQ(looked_up("jiffies+0x10"), "ffffffff82605010");
  EXPECT_EQ(looked_up("jiffies+"), "Usage invalid offset ''; ");
  EXPECT_EQ(looked_up("jiffies+8x"), "Usage invalid offset '8x'; ");
}

TEST(KernelSymbol, AnUnknownNameHasANearOne) {
  EXPECT_EQ(looked_up("jifies"), "NotFound no kernel symbol 'jifies'; did you mean 'jiffies'?");
  EXPECT_EQ(looked_up("schedule_tali"), "NotFound no kernel symbol 'schedule_tali'; did you mean 'schedule_tail'?");
  constexpr std::string_view kOther = "pass an address, or a symbol from /proc/kallsyms";
  EXPECT_EQ(looked_up("nothing"), fmt::format("NotFound no kernel symbol 'nothing'; {}", kOther));
  // Shorter than the prefix that similar names must share.
  EXPECT_EQ(looked_up("ji"), fmt::format("NotFound no kernel symbol 'ji'; {}", kOther));
  EXPECT_EQ(looked_up(""), fmt::format("NotFound no kernel symbol ''; {}", kOther));
}

TEST(KernelSymbol, ZeroIsAHiddenAddress) {
  EXPECT_EQ(looked_up("hidden"),
            "Denied the kernel hides the address of 'hidden'; run as root, or set kernel.kptr_restrict to 0");
}

TEST(KernelSymbol, NeedsKallsyms) { EXPECT_NE(looked_up("jiffies", "").find("/proc/kallsyms"), std::string::npos); }

TEST(NamedPlaces, AreASymbolAndAnOffset) {
  const auto place = parse_named_place("counter+0x20");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->symbol, "counter");
  EXPECT_EQ(place->offset, 0x20u);
  EXPECT_EQ(parse_named_place("counter")->offset, 0u);
  EXPECT_EQ(parse_named_place("a+1+1").error().message, "invalid offset '1+1'");
}

// Address filters use the same list, and need to know where symbols end.
TEST(KernelCode, RegionsEndAtTheNextSymbol) {
  const testing::Machine machine;
  machine.write(std::string(kSymbolLines));
  const auto symbols = system_code_symbols(machine.root());
  const auto text = [&](std::string_view words) {
    const auto filters = address_filters(words, *symbols);
    return filters ? filters->text : filters.error().what + "; " + filters.error().hint;
  };
  EXPECT_EQ(text("filter schedule"), "filter 0xffffffff81000100/0x80");
  EXPECT_EQ(text("filter schedule / schedule_tail"), "filter 0xffffffff81000100/0x100");
  EXPECT_EQ(text("start do_exit"), "start 0xffffffff81000200");
  EXPECT_EQ(text("filter nothing"),
            "the kernel has no symbol 'nothing'; for a symbol of a program, add its file: nothing @ FILE");
  EXPECT_EQ(text("filter main @ /bin/nothing"), "no such file: /bin/nothing; ");
}

TEST(KernelCode, FilesNeedNamesThatTheKernelTakes) {
  const testing::Machine machine;
  machine.write("/bin/a,b = not a program");
  machine.write("/bin/script = not a program");
  const auto symbols = system_code_symbols(machine.root());
  const auto place = symbols->place_of("/bin/a,b");
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(place.error().message, "the kernel does not accept spaces or commas in file names: /bin/a,b");
  EXPECT_EQ(symbols->place_of("/bin/script").value_or(""), "/bin/script");
  EXPECT_FALSE(symbols->named("/bin/script", "main"));
  EXPECT_FALSE(symbols->whole("/bin/script"));
}

TEST(KernelCode, HiddenAddressesAreAnError) {
  const testing::Machine machine;
  machine.write("/proc/kallsyms = 0000000000000000 T _text\\n0000000000000000 T schedule\\n");
  const auto symbols = system_code_symbols(machine.root());
  const auto found = symbols->named("", "schedule");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::Denied);
  EXPECT_EQ(found.error().message, "the kernel hides the addresses of its symbols");
}

}  // namespace
}  // namespace peregrine
