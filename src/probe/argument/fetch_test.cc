#include "probe/argument/fetch.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace peregrine {
namespace {

// The types of a small program:
//
//   struct deep { int secret; };
//   struct inner {
//     int x;                       // at 0
//     char name[16];               // at 4
//     char *text;                  // at 24
//     unsigned mode : 3;           // bits 261 to 263
//     unsigned wide : 30;          // bits 269 to 298, over the border of an int
//     union { int left; int right; };  // at 40
//     struct deep deep;            // at 48
//   };
class FetchedTypes final : public TypeSource {
 public:
  enum : u64 {
    kInt,
    kCount,
    kChar,
    kText,
    kName,
    kInner,
    kInnerPointer,
    kUnsigned,
    kUnion,
    kDeep,
    kInts,
    kTriple,
    kVoid,
    kVoidPointer,
    kByte
  };

  FetchedTypes() {
    add(kInt, {TypeKind::Integer, "int", 4, true, false, {}}, "int");
    add(kCount, {TypeKind::Integer, "unsigned long", 8, false, false, {}}, "size_t");
    add(kChar, {TypeKind::Integer, "char", 1, true, true, {}}, "char");
    add(kText, {TypeKind::Pointer, "", 8, false, false, at(kChar)}, "char*");
    add(kName, {TypeKind::Array, "", 16, false, false, at(kChar)}, "char*");
    add(kInner, {TypeKind::Structure, "inner", 56, false, false, {}}, "struct inner");
    add(kInnerPointer, {TypeKind::Pointer, "", 8, false, false, at(kInner)}, "struct inner*");
    add(kUnsigned, {TypeKind::Integer, "unsigned int", 4, false, false, {}}, "unsigned int");
    add(kUnion, {TypeKind::Union, "", 4, false, false, {}}, "union (unnamed)");
    add(kDeep, {TypeKind::Structure, "deep", 4, false, false, {}}, "struct deep");
    add(kInts, {TypeKind::Array, "", 40, false, false, at(kInt)}, "int*");
    add(kTriple, {TypeKind::Structure, "triple", 3, false, false, {}}, "struct triple");
    add(kVoid, {TypeKind::Nothing, "", std::nullopt, false, false, {}}, "void");
    add(kVoidPointer, {TypeKind::Pointer, "", 8, false, false, at(kVoid)}, "void*");
    add(kByte, {TypeKind::Integer, "unsigned char", 1, false, false, {}}, "u8");
    members_[kInner] = {member("x", kInt, 0),      member("name", kName, 4),   member("text", kText, 24),
                        bit_field("mode", 261, 3), bit_field("wide", 269, 30), member("", kUnion, 40),
                        member("deep", kDeep, 48)};
    members_[kUnion] = {member("left", kInt, 0), member("right", kInt, 0)};
    members_[kDeep] = {member("secret", kInt, 0)};
  }

  TypeRef at(u64 index) const { return {this, index, true}; }
  TypeShape shape(TypeRef type) const override { return shapes_.at(type.index); }
  std::string text(TypeRef type) const override { return texts_.at(type.index); }
  std::vector<TypeMember> members(TypeRef type) const override {
    const auto found = members_.find(type.index);
    return found == members_.end() ? std::vector<TypeMember>() : found->second;
  }
  TypeRef find(std::string_view spelled) const override {
    return spelled.starts_with("struct inner") ? at(kInner) : TypeRef();
  }

 private:
  void add(u64 index, TypeShape shape, std::string text) {
    shapes_[index] = std::move(shape);
    texts_[index] = std::move(text);
  }
  TypeMember member(std::string name, u64 type, u64 offset) const {
    return {.name = std::move(name), .type = at(type), .offset = offset, .bit_size = 0, .bit_start = offset * 8};
  }
  TypeMember bit_field(std::string name, u64 start, u64 size) const {
    return {.name = std::move(name), .type = at(kUnsigned), .offset = start / 8, .bit_size = size, .bit_start = start};
  }

  std::map<u64, TypeShape> shapes_;
  std::map<u64, std::string> texts_;
  std::map<u64, std::vector<TypeMember>> members_;
};
using FT = FetchedTypes;

// The fetch of an argument in the kernel's syntax, or the error.
std::string fetched(std::string_view argument, u64 type, const VariablePlace& place,
                    const FetchAbilities& abilities = {}) {
  const FetchedTypes types;
  const auto definition = parse_probe("f " + std::string(argument));
  if (!definition || definition->arguments.size() != 1) return "not one argument";
  const auto fetch = fetch_variable(definition->arguments[0], place, types.at(type), types, abilities);
  if (!fetch) return fetch.error().message;
  return fetch->name + '=' + fetch->value + (fetch->type.empty() ? "" : ":") + fetch->type;
}

std::string hint_of(std::string_view argument, u64 type, const VariablePlace& place) {
  const FetchedTypes types;
  const auto definition = parse_probe("f " + std::string(argument));
  if (!definition || definition->arguments.size() != 1) return "not one argument";
  const auto fetch = fetch_variable(definition->arguments[0], place, types.at(type), types, {});
  return fetch ? "fetched" : fetch.error().hint;
}

const VariablePlace kInRegister{"%di", {}};
const VariablePlace kOnStack{"%bp", {-32}};

TEST(FetchVariable, ReadsRegistersMemoryAndConstants) {
  EXPECT_EQ(fetched("n", FT::kInt, {"%di", {}}), "n=%di:s32");
  EXPECT_EQ(fetched("n", FT::kInt, {"%sp", {16}}), "n=+16(%sp):s32");
  EXPECT_EQ(fetched("n", FT::kInt, {"%bp", {-8}}), "n=-8(%bp):s32");
  EXPECT_EQ(fetched("n", FT::kInt, {"%bp", {-8, 0}}), "n=+0(-8(%bp)):s32") << "a variable that is passed by address";
  EXPECT_EQ(fetched("n", FT::kInt, {"\\5", {}}), "n=\\5:s32");
}

TEST(FetchVariable, ReadsGlobalsOfProgramsByOffsetAndOfTheKernelBySymbol) {
  EXPECT_EQ(fetched("n", FT::kInt, {"@+", {0x4010}}), "n=@+0x4010:s32");
  EXPECT_EQ(fetched("n", FT::kInt, {"@_text", {16}}), "n=@_text+16:s32");
  EXPECT_EQ(fetched("n", FT::kInt, {"@_text", {-16}}), "n=@_text-16:s32");
  EXPECT_EQ(fetched("t:string", FT::kText, {"@+", {0x4010}}), "t_string=+0(@+0x4010):string");
}

TEST(FetchVariable, ChoosesTheTypeThatTheKernelHas) {
  EXPECT_EQ(fetched("n", FT::kCount, kInRegister), "n=%di:x64");
  EXPECT_EQ(fetched("n", FT::kCount, kInRegister, {.hexadecimal = false}), "n=%di:u64") << "kernels before 4.9";
  EXPECT_EQ(fetched("p", FT::kInnerPointer, kInRegister), "p=%di:x64");
  EXPECT_EQ(fetched("o", FT::kInner, kOnStack), "o=-32(%bp):x64") << "no more than 64 bits of a structure";
  EXPECT_EQ(fetched("o", FT::kTriple, kOnStack), "o=-32(%bp):x16") << "of 24 bits the largest power of two";
  EXPECT_EQ(fetched("a", FT::kInts, kOnStack), "a=-32(%bp)") << "an array has no type";
  EXPECT_EQ(fetched("v", FT::kVoid, kInRegister), "v=%di");
}

TEST(FetchVariable, TakesTheUsersTypeOrSign) {
  EXPECT_EQ(fetched("n:s8", FT::kCount, kInRegister), "n_s8=%di:s8");
  EXPECT_EQ(fetched("n:u", FT::kInt, kInRegister), "n_u=%di:u32");
  EXPECT_EQ(fetched("n:x", FT::kInt, kInRegister), "n_x=%di:x32");
  EXPECT_EQ(fetched("n:s", FT::kCount, kInRegister), "n_s=%di:s64");
  EXPECT_EQ(fetched("n:b4@0/32", FT::kInt, kInRegister), "n_b4_0_32=%di:b4@0/32");
}

TEST(FetchVariable, NamesTheFieldAfterTheLastMember) {
  EXPECT_EQ(fetched("size=n:u", FT::kInt, kInRegister), "size=%di:u32");
  EXPECT_EQ(fetched("p->deep.secret", FT::kInnerPointer, kInRegister), "secret=+48(%di):s32");
  EXPECT_EQ(fetched("p->name[2]", FT::kInnerPointer, kInRegister), "name=+6(%di):s8");
  EXPECT_EQ(fetched("a[2]", FT::kInts, kOnStack), "a=-24(%bp):s32");
}

TEST(FetchVariable, FollowsPointersAndMembers) {
  EXPECT_EQ(fetched("p->x", FT::kInnerPointer, kInRegister), "x=+0(%di):s32");
  EXPECT_EQ(fetched("p->x", FT::kInnerPointer, kOnStack), "x=+0(-32(%bp)):s32");
  EXPECT_EQ(fetched("o.x", FT::kInner, kOnStack), "x=-32(%bp):s32");
  EXPECT_EQ(fetched("o.text[3]", FT::kInner, kOnStack), "text=+3(-8(%bp)):s8");
  EXPECT_EQ(fetched("p[1].x", FT::kInnerPointer, kInRegister), "x=+56(%di):s32");
  EXPECT_EQ(fetched("p[-1].x", FT::kInnerPointer, kInRegister), "x=-56(%di):s32");
  EXPECT_EQ(fetched("p->right", FT::kInnerPointer, kInRegister), "right=+40(%di):s32") << "in a union without a name";
}

TEST(FetchVariable, CastsToATypeOrAPointerToIt) {
  EXPECT_EQ(fetched("(struct inner *)v->x", FT::kVoidPointer, kInRegister), "x=+0(%di):s32");
  EXPECT_EQ(fetched("(struct inner *)v", FT::kVoidPointer, kInRegister), "v=%di:x64");
  EXPECT_EQ(fetched("(struct inner *)v[1].x", FT::kCount, kInRegister), "x=+56(%di):s32");
  EXPECT_EQ(fetched("(struct inner)v.x", FT::kInts, kOnStack), "x=-32(%bp):s32");
  EXPECT_EQ(fetched("(struct inner **)v", FT::kCount, kInRegister),
            "cannot fetch '(struct inner **)v': casts must be to a type or a pointer to one");
  EXPECT_EQ(fetched("(struct lost *)v->x", FT::kCount, kInRegister),
            "cannot fetch '(struct lost *)v->x': unknown type 'struct lost *'");
}

TEST(FetchVariable, ReadsStringsThroughPointersAndInArrays) {
  EXPECT_EQ(fetched("t:string", FT::kText, kInRegister), "t_string=+0(%di):string");
  EXPECT_EQ(fetched("p->text:string", FT::kInnerPointer, kInRegister), "text=+0(+24(%di)):string");
  EXPECT_EQ(fetched("p->name:string", FT::kInnerPointer, kInRegister), "name=+4(%di):string");
  EXPECT_EQ(fetched("t:ustring", FT::kText, kInRegister), "t_ustring=+0(%di):ustring");
  EXPECT_EQ(fetched("n:string", FT::kInt, kInRegister),
            "cannot fetch 'n:string': n (int) is not a string: neither a pointer nor an array");
  EXPECT_EQ(fetched("p:string", FT::kInnerPointer, kInRegister),
            "cannot fetch 'p:string': p (struct inner*) is not a string: it does not point to characters");
}

// Only kernel probes distinguish user memory: for a program, @user changes nothing.
TEST(FetchVariable, ReadsMemoryOfTheProcessForTheKernel) {
  const FetchAbilities kernel{.kernel_probe = true};
  EXPECT_EQ(fetched("p->text:string@user", FT::kInnerPointer, kInRegister, kernel), "text=+u0(+u24(%di)):ustring");
  EXPECT_EQ(fetched("p->x@user", FT::kInnerPointer, kInRegister, kernel), "x=+u0(%di):s32");
  EXPECT_EQ(fetched("p->text:string@user", FT::kInnerPointer, kInRegister), "text=+0(+24(%di)):string");
}

TEST(FetchVariable, ReadsBitFieldsInTheSmallestWordThatHoldsThem) {
  // Bit 261 is bit 5 of byte 32, and bit 269 is bit 5 of byte 33.
  EXPECT_EQ(fetched("p->mode", FT::kInnerPointer, kInRegister), "mode=+32(%di):b3@5/32");
  EXPECT_EQ(fetched("p->wide", FT::kInnerPointer, kInRegister), "wide=+33(%di):b30@5/64");
  EXPECT_EQ(fetched("p->mode:u", FT::kInnerPointer, kInRegister), "mode=+32(%di):b3@5/32") << "a sign cannot be chosen";
  EXPECT_EQ(fetched("p->mode:u8", FT::kInnerPointer, kInRegister), "mode=+32(%di):u8") << "the user's type wins";
}

TEST(FetchVariable, RefusesStepsThatTheTypesDoNotHave) {
  EXPECT_EQ(fetched("n.x", FT::kInt, kInRegister), "cannot fetch 'n.x': n is a int, which has no members");
  EXPECT_EQ(fetched("p.x", FT::kInnerPointer, kInRegister), "cannot fetch 'p.x': p is a pointer: write p->x");
  EXPECT_EQ(fetched("o->x", FT::kInner, kOnStack), "cannot fetch 'o->x': o is not a pointer: write o.x");
  EXPECT_EQ(fetched("p->deep->secret", FT::kInnerPointer, kInRegister),
            "cannot fetch 'p->deep->secret': p->deep is not a pointer: write p->deep.secret");
  EXPECT_EQ(fetched("n[1]", FT::kInt, kInRegister), "cannot fetch 'n[1]': n (int) is neither a pointer nor an array");
  EXPECT_EQ(fetched("v[1]", FT::kVoidPointer, kInRegister),
            "cannot fetch 'v[1]': the elements of v have no known size");
}

TEST(FetchVariable, RejectsMembersOfValuesInRegisters) {
  EXPECT_EQ(fetched("a[1]", FT::kInts, kInRegister), "cannot fetch 'a[1]': a is an array that is not in memory here");
  EXPECT_EQ(fetched("o.x", FT::kInner, kInRegister), "cannot fetch 'o.x': o is a structure held in registers");
  EXPECT_EQ(fetched("p->x", FT::kInnerPointer, {"\\5", {}}), "cannot fetch 'p->x': p is a constant and has no member");
  EXPECT_EQ(fetched("p[0]", FT::kInnerPointer, {"\\5", {}}), "cannot fetch 'p[0]': p is a constant and has no element");
}

TEST(FetchVariable, SuggestsAMemberForAWrongOne) {
  EXPECT_EQ(fetched("p->secret", FT::kInnerPointer, kInRegister),
            "cannot fetch 'p->secret': p (struct inner) has no member secret");
  EXPECT_EQ(hint_of("p->secret", FT::kInnerPointer, kInRegister), "it has deep.secret");
  EXPECT_EQ(hint_of("p->mod", FT::kInnerPointer, kInRegister), "did you mean 'mode'?");
  EXPECT_EQ(hint_of("p->zzzzzz", FT::kInnerPointer, kInRegister),
            "its members are x, name, text, mode, wide, left, right, deep");
}

TEST(FetchAsWritten, PassesTheKernelsWordsOn) {
  const auto definition = parse_probe("f where=+8(%si):u32 $retval");
  ASSERT_TRUE(definition);
  EXPECT_EQ(fetch_as_written(definition->arguments[0]), (TraceArgument{"where", "+8(%si)", "u32"}));
  EXPECT_EQ(fetch_as_written(definition->arguments[1]), (TraceArgument{"", "$retval", ""}));
}

}  // namespace
}  // namespace peregrine
