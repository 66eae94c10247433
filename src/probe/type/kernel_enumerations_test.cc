#include "probe/type/kernel_enumerations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

// BTF with only these enums: {name, {{name, value}}}.
using EnumList = std::vector<std::pair<std::string, std::vector<std::pair<std::string, i64>>>>;

std::string btf_of_enums(const EnumList& enums, bool wide, std::size_t first_string = 0) {
  std::string strings(first_string == 0 ? 1 : 0, '\0');
  ByteWriter types(kHostOrder);
  const auto add = [&](const std::string& text) {
    const auto at = static_cast<u32>(first_string + strings.size());
    strings += text + '\0';
    return at;
  };
  for (const auto& [name, values] : enums) {
    constexpr u32 kSigned = u32{1} << 31;
    const u32 kind = wide ? 19 : 6;
    types.put32(add(name)).put32(kind << 24 | kSigned | static_cast<u32>(values.size())).put32(wide ? 8 : 4);
    for (const auto& [word, value] : values) {
      types.put32(add(word)).put32(static_cast<u32>(value));
      if (wide) types.put32(static_cast<u32>(static_cast<u64>(value) >> 32));
    }
  }
  const auto size = static_cast<u32>(types.bytes().size());
  ByteWriter head(kHostOrder);
  head.put16(0xeb9f).put16(1).put32(24).put32(0).put32(size).put32(size).put32(static_cast<u32>(strings.size()));
  const auto text = [](Bytes bytes) { return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()); };
  return text(head.bytes()) + text(types.bytes()) + strings;
}

std::string shown_values(const std::vector<Enumerator>& values) {
  std::string text;
  for (const Enumerator& each : values) text += fmt::format("{}{}={}", text.empty() ? "" : " ", each.name, each.value);
  return text;
}

class KernelEnums : public ::testing::Test {
 protected:
  KernelEnums() : folder_(std::filesystem::temp_directory_path() / fmt::format("peregrine-enums-{}", ::getpid())) {
    std::filesystem::create_directories(folder_ / "sys/kernel/btf");
  }
  ~KernelEnums() override { std::filesystem::remove_all(folder_); }
  void put(const char* name, const std::string& bytes) const {
    std::ofstream(folder_ / "sys/kernel/btf" / name, std::ios::binary) << bytes;
  }
  std::filesystem::path folder_;
};

TEST_F(KernelEnums, AreReadFromTheTypesOfTheKernelAndItsModules) {
  const std::string kernel = btf_of_enums({{"mode", {{"ABS", 0}, {"REL", 1}, {"NONE", -1}}}}, false);
  put("vmlinux", kernel);
  // A module's strings continue after the kernel's.
  const std::size_t kernel_strings = std::string_view("\0mode\0ABS\0REL\0NONE\0", 19).size();
  put("xfs", btf_of_enums({{"wide", {{"HUGE", i64{1} << 40}, {"LESS", -2}}}}, true, kernel_strings));
  put("broken", "wide");
  KernelEnumerations enums{Root(folder_.string())};
  EXPECT_EQ(shown_values(enums.of("enum mode")), "ABS=0 REL=1 NONE=-1");
  EXPECT_EQ(shown_values(enums.of("const enum mode")), "ABS=0 REL=1 NONE=-1");
  EXPECT_EQ(shown_values(enums.of("enum wide")), "HUGE=1099511627776 LESS=-2");
  EXPECT_TRUE(enums.of("enum other").empty());
  EXPECT_TRUE(enums.of("enum mode *").empty());
  EXPECT_TRUE(enums.of("mode").empty());
}

TEST_F(KernelEnums, AreMissingWithoutTypes) {
  EXPECT_TRUE(KernelEnumerations(Root(folder_.string())).of("enum mode").empty());
  put("vmlinux", "no types");
  EXPECT_TRUE(KernelEnumerations(Root(folder_.string())).of("enum mode").empty());
}

TEST(KernelEnumsHere, HaveTheModesOfTimers) {
  if (!Root().exists("/sys/kernel/btf/vmlinux")) GTEST_SKIP() << "this kernel has no type information (BTF)";
  const auto modes = KernelEnumerations(Root()).of("enum hrtimer_mode");
  EXPECT_NE(shown_values(modes).find("HRTIMER_MODE_ABS=0 HRTIMER_MODE_REL=1"), std::string::npos);
}

}  // namespace
}  // namespace peregrine
