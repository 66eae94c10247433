// linux-perf 6.1's spellings, obtained from files with these symbols.
#include "symbol/table/demangle.h"

#include <gtest/gtest.h>

#include <utility>

namespace peregrine {
namespace {

TEST(Demangle, SpellsAsLinuxPerf) {
  const std::pair<const char*, const char*> cases[] = {
      {"main", "main"},
      {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"},
      {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo"},
      {"_ZZ4mainENKUlT_E_clIiEEDaS_", "main::{lambda(auto:1)#1}::operator()<int>"},
      {"_ZThn16_N3Foo3barEv", "non-virtual thunk to Foo::bar()"},
      {"_ZN3foo3barEv.isra.0.cold", "foo::bar"},
      {"_ZN2io5BytesB5cxx11Ev", "io::Bytes[abi:cxx11]"},
      {"_GLOBAL__I_a", "global constructors keyed to a"},
      {"_GLOBAL__sub_I_main", "_GLOBAL__sub_I_main"},
      {"__Z1fv", "__Z1fv"},
      {"_Z", "_Z"},
      {"foo.part.0", "foo.part.0"},
      {"_Z3foov@plt", "foo@plt"},
      {"printf@plt", "printf@plt"},
      {"_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17hf4fa9e5e9a39e45bE", "std::rt::lang_start::{{closure}}"},
      {"_ZN3std2rt10lang_start17hf4fa9e5e9a39e45bE.llvm.1234567", "std::rt::lang_start"},
      {"_RNvNtCs1234_7mycrate3foo3bar.llvm.99", "mycrate::foo::bar"},
      {"_RINvCs1234_7mycrate3fooxE", "mycrate::foo::<i64>"},
      {"$s4main3fooyyF", "$s4main3fooyyF"},
      {"camlStdlib__List__map_123", "Stdlib.List.map_123"},
      {"camlFoo__$3e$3e$3d_12", "Foo.>>=_12"},
      {"camlFoo__a$4", "Foo.a$4"},
      {"caml_alloc", "caml_alloc"},
      {"Ljava/util/HashMap;hash(Ljava/lang/Object;)I", "java.util.HashMap.hash(java.lang.Object)"},
      {"Lcom/foo/Bar;baz(ZBCSIJFD)V", "com.foo.Bar.baz(boolean, byte, char, short, int, long, float, double)"},
      {"Lcom/foo/Bar;<init>(Lcom/foo/A;[[J)V", "com.foo.Bar<init>(com.foo.A, long[][])"},
      {"Lcom/foo/Bar;baz", "Lcom/foo/Bar;baz"},
      {"Lib;call", "Lib;call"},
      {"", ""},
  };
  for (const auto& [raw, shown] : cases) EXPECT_EQ(demangle(raw), shown);
}

TEST(Demangle, KnowsD) {
  EXPECT_EQ(demangle("_D3std5stdio7writelnFAyaZv"), "std.stdio.writeln(immutable(char)[])");
  EXPECT_EQ(demangle("_Dmain"), "D main");
  EXPECT_EQ(demangle("_D8demangle4testFHAaxFZvZv"), demangle("_D8demangle4testFHAaxFZvZv"));
  EXPECT_EQ(demangle("_DYNAMIC"), "_DYNAMIC");
  EXPECT_EQ(demangle("_Dummy"), "_Dummy");
}

TEST(Demangle, BackReferencesOfDDoNotGrowWithoutBound) {
  std::string doubling = "_D1f";  // each argument repeats all arguments before it
  doubling += "FHii";
  for (int i = 0; i < 60; ++i) doubling += "HQdQg";
  EXPECT_EQ(demangle(doubling + "Zv"), doubling + "Zv");
  std::string nested = "_D1fF";  // each level is tried twice
  for (int i = 0; i < 60; ++i) nested += "FS1bM";
  EXPECT_EQ(demangle(nested + "iZv"), nested + "iZv");
  const std::string deep = "_D1fF" + std::string(16000, 'P') + "iZv";
  EXPECT_EQ(demangle(deep), deep);
}

TEST(Demangle, ShowsParametersOnRequest) {
  EXPECT_EQ(demangle("_ZNK3foo3barEiPKc", DemangleDetail::Parameters), "foo::bar(int, char const*) const");
}

TEST(Demangle, HostileNamesComeBackAsTheyAre) {
  std::string doubling = "_Z1fI1AIiiE";  // each S_ pair doubles the output
  for (int i = 0; i < 30; ++i)
    doubling += "S0_IS" + std::string(1, static_cast<char>(i < 9 ? '1' + i : 'A' + i - 9)) + "_S" +
                std::string(1, static_cast<char>(i < 9 ? '1' + i : 'A' + i - 9)) + "_E";
  doubling += "Evv";
  EXPECT_LE(demangle(doubling).size(), 65536u + doubling.size());
  const std::string deep = "_Z1f" + std::string(16000, 'P') + "i";
  EXPECT_FALSE(demangle(deep, DemangleDetail::Parameters).empty());
  const std::string long_name = "_Z" + std::string(100000, 'N');
  EXPECT_EQ(demangle(long_name), long_name);
}

}  // namespace
}  // namespace peregrine
