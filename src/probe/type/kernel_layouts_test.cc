// Compares the struct layouts that `trace` shows with the running kernel's types.
#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "event/syscall/struct_layout.h"
#include "event/syscall/word_table.h"
#include "probe/type/btf_layouts.h"
#include "probe/type/btf_types.h"
#include "probe/type/type_source.h"

namespace peregrine {
namespace {

// A member by name, "time.tv_sec", including those inside unnamed members.
std::optional<TypeMember> find_member(const BtfTypes& types, TypeRef type, std::string_view name) {
  const std::size_t dot = name.find('.');
  for (const TypeMember& member : types.members(type)) {
    std::optional<TypeMember> found;
    if (member.name.empty())
      found = find_member(types, member.type, name);
    else if (member.name != name.substr(0, dot))
      continue;
    else if (dot == name.npos)
      return member;
    else
      found = find_member(types, member.type, name.substr(dot + 1));
    if (!found) continue;
    found->offset += member.offset;
    return found;
  }
  return std::nullopt;
}

TEST(KernelLayouts, AreThoseOfTheRunningKernel) {
  std::ifstream file("/sys/kernel/btf/vmlinux", std::ios::binary);
  if (!file) GTEST_SKIP() << "this kernel has no type information (BTF)";
  const auto types = BtfTypes::parse(std::string(std::istreambuf_iterator<char>(file), {}), "vmlinux");
  ASSERT_TRUE(types);
  const WordTables words;
  const StructLayouts layouts(words, abi::syscall_set(abi::kHostArch) == abi::SyscallSet::Generic);
  unsigned compared = 0;
  for (const LayoutType& pair : layout_types()) {
    const StructLayout* const layout = layouts.find(pair.layout);
    ASSERT_NE(layout, nullptr) << pair.layout;
    const TypeRef type = types->find(pair.type);
    if (!type) continue;  // newer than this kernel
    ++compared;
    for (const LayoutField& field : layout->fields) {
      SCOPED_TRACE(std::string(pair.layout) + "." + std::string(field.name));
      const auto member = find_member(*types, type, field.name);
      if (!member) {
        ADD_FAILURE() << "no such member";
        continue;
      }
      EXPECT_EQ(field.offset, member->offset);
      EXPECT_EQ(field.size, types->shape(member->type).size.value_or(0));
    }
    EXPECT_LE(layout->size, types->shape(type).size.value_or(0)) << pair.layout;
  }
  EXPECT_GT(compared, 55u);
}

TEST(KernelLayouts, AreMadeOfTheKernelsTypes) {
  const auto types = running_kernel_types();
  if (!types) GTEST_SKIP() << types.error().message;
  std::deque<std::string> names;
  const auto clock = btf_layout(*types, "timespec", 16, names);
  ASSERT_TRUE(clock);
  ASSERT_EQ(clock->fields.size(), 2u);
  EXPECT_EQ(clock->fields[1].name, "tv_nsec");
  EXPECT_EQ(clock->fields[1].offset, 8);
  EXPECT_EQ(clock->fields[1].kind, FieldKind::Signed);
  const auto timer = btf_layout(*types, "itimerspec", 32, names);
  ASSERT_TRUE(timer);
  EXPECT_EQ(timer->fields.back().name, "it_value.tv_nsec");
  const auto name = btf_layout(*types, "utsname", 65, names);
  ASSERT_TRUE(name);
  ASSERT_EQ(name->fields.size(), 1u);  // the others are past the part that is read
  EXPECT_EQ(name->fields[0].kind, FieldKind::Text);
  EXPECT_EQ(name->fields[0].size, 65);
  EXPECT_FALSE(btf_layout(*types, "int", 4, names));
}

TEST(KernelLayouts, ReplaceTheBuiltInOnes) {
  const auto types = running_kernel_types();
  if (!types) GTEST_SKIP() << types.error().message;
  const WordTables words;
  StructLayouts layouts(words, abi::syscall_set(abi::kHostArch) == abi::SyscallSet::Generic);
  const StructLayout* const how = layouts.find("open_how");
  ASSERT_NE(how->fields[0].words, nullptr);
  std::deque<std::string> names;
  layouts.replace([&](const StructLayout& layout) { return btf_layout(*types, layout.name, layout.size, names); });
  EXPECT_EQ(layouts.find("open_how"), how);
  EXPECT_EQ(how->fields[0].words, nullptr);
  EXPECT_EQ(how->fields[1].kind, FieldKind::Unsigned);
}

}  // namespace
}  // namespace peregrine
