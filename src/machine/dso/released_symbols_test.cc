// A live machine frees the symbols of dsos that are gone, and loads those of dsos that return.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "abi/record.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "support/resolved_program.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

using support::ResolvedProgram;

constexpr DsoId kProgram(0);

TEST(ReleasedSymbols, AreLoadedAnewWhenTheyAreAskedFor) {
  ResolvedProgram program;
  DsoTable& dsos = program.machine.dsos();
  const std::size_t count = dsos.symbols(kProgram).size();
  ASSERT_GT(count, 0u);
  EXPECT_EQ(dsos.releasable_bytes(), dsos.symbols(kProgram).memory_bytes());
  EXPECT_GT(dsos.releasable_bytes(), 0u);
  dsos.release_symbols({});
  EXPECT_EQ(dsos.releasable_bytes(), 0u);
  EXPECT_FALSE(dsos.symbols_were_loaded(kProgram));
  EXPECT_EQ(dsos.symbols(kProgram).size(), count);
  EXPECT_EQ(dsos.symbol_name(kProgram, SymbolIndex(0)), "outer");
}

TEST(ReleasedSymbols, OfUsedDsosStay) {
  ResolvedProgram program;
  DsoTable& dsos = program.machine.dsos();
  ASSERT_GT(dsos.symbols(kProgram).size(), 0u);
  dsos.release_symbols({true});
  EXPECT_TRUE(dsos.symbols_were_loaded(kProgram));
}

TEST(ReleasedSymbols, OfAFileThatIsGoneHaveNoNames) {
  ResolvedProgram program;
  DsoTable& dsos = program.machine.dsos();
  ASSERT_TRUE(dsos.has_symbol(kProgram, SymbolIndex(1)));
  std::filesystem::remove(program.file());
  dsos.release_symbols({});
  EXPECT_FALSE(dsos.has_symbol(kProgram, SymbolIndex(1)));
  EXPECT_EQ(dsos.symbol_name(kProgram, SymbolIndex(1)), "");
}

TEST(ReleasedSymbols, KeepsSymbolsThatWereGiven) {
  DsoTable dsos{SymbolPlaces()};
  const DsoId id = dsos.find_or_add(DsoKind::JitDump, "/given");
  dsos.set_symbols(id, SymbolTable(), {});
  dsos.release_symbols({});
  EXPECT_TRUE(dsos.symbols_were_loaded(id));
  EXPECT_EQ(dsos.releasable_bytes(), 0u);
}

TEST(ReleasedSymbols, AResolverThatForgetsBeginsAnew) {
  ResolvedProgram program;
  const auto name = [&] {
    const FrameId id = program.resolver.frame(program.context(), ResolvedProgram::kInner, abi::misc_bit::User);
    EXPECT_EQ(id, FrameId(0)) << "the first frame";
    return std::string(program.resolver.symbol_name(program.resolver.at(id)));
  };
  EXPECT_EQ(name(), "inner");
  program.resolver.forget();
  EXPECT_EQ(program.resolver.frame_count(), 0u);
  program.machine.dsos().release_symbols({});
  EXPECT_EQ(name(), "inner");
}

TEST(MarkedDsos, AreThoseThatASpaceMaps) {
  AddressSpaces spaces;
  const SpaceId first = spaces.create(1), second = spaces.create(1);
  const auto map_of = [](u32 dso) {
    Map map;
    map.start = 0x1000 * (dso + 1);
    map.end = map.start + 0x1000;
    map.dso = DsoId(dso);
    return map;
  };
  spaces.insert(first, map_of(2), 2);
  spaces.insert(second, map_of(4), 2);
  std::vector<bool> marked{true};
  spaces.mark_dsos(marked);
  EXPECT_EQ(marked, (std::vector<bool>{true, false, true, false, true}));
  spaces.forget_before(3);
  std::vector<bool> kept(spaces.space_count());
  kept[first.value] = true;
  spaces.keep(kept);
  marked.clear();
  spaces.mark_dsos(marked);
  EXPECT_EQ(marked, (std::vector<bool>{false, false, true}));
}

}  // namespace
}  // namespace peregrine
