#include "sys/kernel/host.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "support/byte_buffer.h"
#include "support/machine.h"
#include "sys/hardware/memory.h"

namespace peregrine {
namespace {

using support::ByteBuffer;

constexpr u32 kBuildIdNote = 3;

// An ELF note: sizes, type, name and contents, each padded to four bytes.
ByteBuffer& put_note(ByteBuffer& out, std::string_view name, u32 type, std::string_view content) {
  out.put32(name.size() + 1).put32(content.size()).put32(type);
  return out.ended_text(name, 4).text(content).align(4);
}

std::string build_id_in(const ByteBuffer& notes) {
  const testing::Machine machine;
  const std::string path = machine.root().path("/sys/kernel/notes");
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path).write(reinterpret_cast<const char*>(notes.bytes().data()),
                            static_cast<std::streamsize>(notes.size()));
  const auto id = kernel_build_id(machine.root());
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

TEST(KernelNotes, HaveTheBuildIdAmongOthers) {
  ByteBuffer notes;
  put_note(notes, "Xen", 6, "linux");  // its padding must be skipped
  put_note(notes, "GNU", 1, "not the build-id");
  put_note(notes, "Linux", kBuildIdNote, "another owner's");
  put_note(notes, "GNU", kBuildIdNote, "0123456789abcdefghij");
  put_note(notes, "GNU", kBuildIdNote, "a second one");
  EXPECT_EQ(build_id_in(notes), "0123456789abcdefghij");
}

TEST(KernelNotes, MayEndWithoutPadding) {
  ByteBuffer notes;
  notes.put32(4).put32(5).put32(kBuildIdNote).text(std::string_view("GNU\0", 4)).text("12345");
  EXPECT_EQ(build_id_in(notes), "12345");
}

TEST(KernelNotes, HaveNoBuildIdWhereTheyAreCutOrHostile) {
  EXPECT_EQ(build_id_in(ByteBuffer()), "");
  ByteBuffer whole;
  put_note(whole, "GNU", kBuildIdNote, "01234567");
  ByteBuffer cut;
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    cut.put(static_cast<u64>(whole.bytes()[i]), 1);
    EXPECT_EQ(build_id_in(cut), "") << i + 1 << " bytes";
  }
  for (const auto& [name, content] : {std::pair(~0u, 8u), std::pair(4u, ~0u), std::pair(~0u, ~0u), std::pair(~2u, ~2u)})
    EXPECT_EQ(build_id_in(ByteBuffer().put32(name).put32(content).put32(kBuildIdNote).text("GNU").zeros(64)), "");
}

TEST(ModuleNotes, AreOfOneModule) {
  const testing::Machine machine;
  const std::string path = machine.root().path("/sys/module/ext4/notes/.note.gnu.build-id");
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  ByteBuffer note;
  put_note(note, "GNU", kBuildIdNote, "module's");
  std::ofstream(path).write(reinterpret_cast<const char*>(note.bytes().data()),
                            static_cast<std::streamsize>(note.size()));
  EXPECT_EQ(module_build_id(machine.root(), "ext4").size(), 8u);
  EXPECT_TRUE(module_build_id(machine.root(), "xfs").empty());
  EXPECT_TRUE(module_build_id(machine.root(), "../module/ext4").empty()) << "a name, not a path";
}

TEST(NumaNodes, OfAMachineInTheirOrder) {
  const testing::Machine machine;
  EXPECT_TRUE(numa_nodes(machine.root()).empty()) << "no NUMA support";
  constexpr const char* kFolder = "/sys/devices/system/node";
  machine.write(fmt::format("{}/online = 0,8", kFolder));
  machine.write(fmt::format("{}/node0/meminfo = Node 0 MemTotal:  1000 kB\\nNode 0 MemFree:  10 kB", kFolder));
  machine.write(fmt::format("{}/node0/cpulist = 0-3", kFolder));
  machine.write(fmt::format("{}/node8/meminfo = Node 8 MemTotal:  500 kB\\nNode 8 MemFree:  5 kB", kFolder));
  machine.write(fmt::format("{}/node8/cpulist = ", kFolder));
  const auto nodes = numa_nodes(machine.root());
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].total_kb, 1000u);
  EXPECT_EQ(nodes[0].cpus, "0-3");
  EXPECT_EQ(nodes[1].id, 8u);
  EXPECT_EQ(nodes[1].free_kb, 5u);
  EXPECT_EQ(nodes[1].cpus, "") << "memory without CPUs";
}

TEST(MemorySizes, AreReadByTheirWholeKey) {
  const testing::Machine machine;
  machine.write("/proc/meminfo = MemTotal:       16303428 kB\\nMemFree:         1 kB\\nMemAvailable:    9000000 kB");
  EXPECT_EQ(total_memory_kb(machine.root()), 16303428u);
  EXPECT_EQ(available_memory_kb(machine.root()), 9000000u);
  machine.write("/proc/meminfo = MemTotal:       many kB");
  EXPECT_EQ(total_memory_kb(machine.root()), 0u);
  EXPECT_EQ(available_memory_kb(machine.root()), 0u);
}

}  // namespace
}  // namespace peregrine
