// Functions and inlined functions of a unit by address, and the names that they get from other entries.
#include "symbol/dwarf/scope_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/byte_buffer.h"
#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "support/open_unit.h"
#include "symbol/dwarf/dwarf_constants.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::DwarfValue;
using support::DwarfWriter;
using support::OpenUnit;
using At = DwarfAttribute;

constexpr u64 kScopeText = 0x11000;

// Code starting at `offset` in .text.
std::vector<DwarfValue> code_at(u64 offset, u64 size, std::vector<DwarfValue> more = {}) {
  more.push_back({At::LowPc, DwarfForm::Address, kScopeText + offset});
  more.push_back({At::HighPc, DwarfForm::Data4, size});
  return more;
}
DwarfValue plain_name(std::string name) { return {At::Name, DwarfForm::Text, 0, std::move(name)}; }

// "inner@call_line < outer" at that offset in .text.
std::string scopes_at(const ScopeTree& tree, u64 offset) {
  std::string text;
  for (const Scope* scope = tree.find(kScopeText + offset); scope != nullptr; scope = tree.parent(*scope)) {
    text += scope->function;
    if (scope->parent != Scope::kNone) text += fmt::format("@{} < ", scope->call_line);
  }
  return text;
}

// The scopes of a unit written by `fill`.
template <class Fill>
std::string scopes_of(u64 offset, const Fill& fill, std::vector<ImageSection> more = {}) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {}, true);
  fill(dwarf);
  dwarf.end_children();
  dwarf.end_unit();
  const OpenUnit unit(dwarf, std::move(more));
  return scopes_at(ScopeTree::build(*unit, nullptr), offset);
}

TEST(ScopeTree, NestsInlinedFunctionsThroughBlocks) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {}, true);
  const u64 callee = dwarf.entry(DwarfTag::Subprogram, {plain_name("callee")});
  dwarf.entry(DwarfTag::Namespace, {}, true);
  dwarf.entry(DwarfTag::Subprogram, code_at(0, 0x40, {plain_name("caller")}), true);
  dwarf.entry(DwarfTag::LexicalBlock, {}, true);
  dwarf.entry(DwarfTag::InlinedSubroutine,
              code_at(0x10, 0x10, {dwarf.refer(At::AbstractOrigin, callee), {At::CallLine, DwarfForm::Data1, 5}}));
  dwarf.end_children();
  dwarf.entry(DwarfTag::InlinedSubroutine,
              code_at(0x20, 8, {dwarf.refer(At::AbstractOrigin, callee), {At::CallLine, DwarfForm::Data1, 6}}));
  dwarf.end_children();
  dwarf.end_children();
  dwarf.entry(DwarfTag::Subprogram, code_at(0x40, 0x10, {plain_name("next")}));
  dwarf.end_children();
  dwarf.end_unit();
  const OpenUnit unit(dwarf);
  const ScopeTree tree = ScopeTree::build(*unit, nullptr);
  EXPECT_EQ(scopes_at(tree, 0), "caller");
  EXPECT_EQ(scopes_at(tree, 0x10), "callee@5 < caller");
  EXPECT_EQ(scopes_at(tree, 0x20), "callee@6 < caller");
  EXPECT_EQ(scopes_at(tree, 0x28), "caller");
  EXPECT_EQ(scopes_at(tree, 0x4f), "next");
  EXPECT_EQ(scopes_at(tree, 0x50), "");
}

TEST(ScopeTree, PrefersTheLinkageName) {
  const std::string found = scopes_of(0, [](DwarfWriter& dwarf) {
    const u64 declared =
        dwarf.entry(DwarfTag::Subprogram, {plain_name("run"), {At::LinkageName, DwarfForm::Text, 0, "_ZN1T3runEv"}});
    dwarf.entry(DwarfTag::Subprogram, code_at(0, 8, {plain_name("run"), dwarf.refer(At::Specification, declared)}));
  });
  EXPECT_EQ(found, "_ZN1T3runEv");
}

TEST(ScopeTree, KeepsAPlainNameWhenTheOriginHasNone) {
  const std::string found = scopes_of(0, [](DwarfWriter& dwarf) {
    const u64 nameless = dwarf.entry(DwarfTag::Subprogram, {});
    dwarf.entry(DwarfTag::Subprogram, code_at(0, 8, {plain_name("run"), dwarf.refer(At::Specification, nameless)}));
  });
  EXPECT_EQ(found, "run");
}

TEST(ScopeTree, EndsAtReferencesInACircle) {
  const std::string found = scopes_of(0, [](DwarfWriter& dwarf) {
    dwarf.entry(DwarfTag::Subprogram,
                code_at(0, 8, {plain_name("self"), dwarf.refer(At::AbstractOrigin, dwarf.next())}));
  });
  EXPECT_EQ(found, "self");
}

TEST(ScopeTree, AnInlinedFunctionNeedsOneThatContainsIt) {
  EXPECT_EQ(
      scopes_of(
          0, [](DwarfWriter& dwarf) { dwarf.entry(DwarfTag::InlinedSubroutine, code_at(0, 8, {plain_name("lost")})); }),
      "");
}

TEST(ScopeTree, AFunctionMayHaveItsColdPartElsewhere) {
  ByteBuffer ranges;
  for (const u64 address : {0x11000, 0x11010, 0x11800, 0x11810, 0, 0}) ranges.put64(address);
  for (const auto& [offset, name] : {std::pair(0x8, "split"), std::pair(0x10, ""), std::pair(0x808, "split")}) {
    const std::string found =
        scopes_of(static_cast<u64>(offset),
                  [](DwarfWriter& dwarf) {
                    dwarf.entry(DwarfTag::Subprogram, {plain_name("split"), {At::Ranges, DwarfForm::SectionOffset, 0}});
                  },
                  {{".debug_ranges", ranges.bytes()}});
    EXPECT_EQ(found, name) << offset;
  }
}

TEST(ScopeTree, SkipsTheMembersOfATypeByItsSibling) {
  // The type's end is given as the start of the next function, so everything in between is skipped.
  const auto write = [](u64 sibling) {
    DwarfWriter dwarf;
    dwarf.begin_unit();
    dwarf.entry(DwarfTag::CompileUnit, {}, true);
    dwarf.entry(DwarfTag::StructureType, {{At::Sibling, DwarfForm::Reference4, sibling}}, true);
    dwarf.entry(DwarfTag::Subprogram, code_at(0, 8, {plain_name("skipped")}));
    dwarf.end_children();
    const u64 next = dwarf.entry(DwarfTag::Subprogram, code_at(0x10, 8, {plain_name("next")}));
    dwarf.end_children();
    dwarf.end_unit();
    return std::pair(std::move(dwarf), next);
  };
  const u64 next = write(0).second;
  const auto scopes = [&](u64 sibling, u64 offset) {
    const OpenUnit unit(write(sibling).first);
    return scopes_at(ScopeTree::build(*unit, nullptr), offset);
  };
  EXPECT_EQ(scopes(next, 0), "");
  EXPECT_EQ(scopes(next, 0x10), "next");
  EXPECT_EQ(scopes(0, 0), "skipped") << "no sibling";
  EXPECT_EQ(scopes(5, 0x10), "") << "one that goes back ends the walk";
  EXPECT_EQ(scopes(0xffffff, 0x10), "") << "and one beyond the unit too";
}

TEST(ScopeTree, NamesInlinedFunctionsOfOtherUnits) {
  DwarfWriter dwarf;
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {}, true);
  const u64 caller = dwarf.next();  // in the first unit, which refers to the second, as with link-time optimization
  dwarf.entry(DwarfTag::Subprogram, code_at(0, 0x20, {plain_name("caller")}), true);
  const auto write_call = [&](u64 target) {
    dwarf.entry(DwarfTag::InlinedSubroutine,
                code_at(8, 8, {dwarf.refer(At::AbstractOrigin, target, DwarfForm::ReferenceAddress)}));
  };
  // The second unit begins after this one: the call (17 bytes), three ends, a header (11) and its first entry (1).
  const u64 target = dwarf.next() + 17 + 3 + 11 + 1;
  write_call(target);
  dwarf.end_children();
  dwarf.end_children();
  dwarf.end_children();
  dwarf.end_unit();
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, {}, true);
  ASSERT_EQ(dwarf.entry(DwarfTag::Subprogram, {plain_name("callee")}), target);
  dwarf.end_children();
  dwarf.end_unit();
  const OpenUnit unit(dwarf);
  EXPECT_EQ(scopes_at(ScopeTree::build(*unit, nullptr), 8), "callee@0 < caller");
  EXPECT_EQ(function_name(unit.file(), nullptr, target), "callee");
  EXPECT_EQ(function_name(unit.file(), nullptr, caller), "caller");
  EXPECT_EQ(function_name(unit.file(), nullptr, target + 1), "") << "the middle of an entry";
  EXPECT_EQ(function_name(unit.file(), nullptr, 1u << 20), "");
}

TEST(ScopeTree, IsEmptyWithoutAnOpenUnit) {
  const DwarfWriter dwarf = support::one_entry({}, {});
  const OpenUnit unit(dwarf);
  ScopeTree tree = ScopeTree::build(DwarfUnit(unit.file(), unit->header()), nullptr);
  EXPECT_TRUE(tree.scopes().empty());
  EXPECT_EQ(tree.find(kScopeText), nullptr);
}

}  // namespace
}  // namespace peregrine
