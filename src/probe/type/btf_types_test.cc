#include "probe/type/btf_types.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/bytes.h"

namespace peregrine {
namespace {

// Writes BTF one type after another; each call returns the type's number.
class BtfWriter {
 public:
  // `first_type`, `first_string`: where a module's BTF continues the kernel's.
  explicit BtfWriter(u32 first_type = 1, u32 first_string = 0)
      : next_(first_type), first_string_(first_string), strings_(first_string == 0 ? 1 : 0, '\0') {}

  u32 name(std::string_view text) {
    if (text.empty()) return 0;
    const auto at = static_cast<u32>(first_string_ + strings_.size());
    strings_.append(text).push_back('\0');
    return at;
  }
  // `size`: or the number of the referenced type.
  u32 add(u32 kind, std::string_view text, u32 size, const std::vector<u32>& rest = {}, u32 count = 0,
          bool flag = false) {
    types_.put32(name(text)).put32(kind << 24 | count | (flag ? u32{1} << 31 : 0)).put32(size);
    for (const u32 word : rest) types_.put32(word);
    return next_++;
  }
  std::string bytes() const {
    const auto size = static_cast<u32>(types_.size());
    ByteWriter head;
    head.put16(0xeb9f).put16(1).put32(24).put32(0).put32(size).put32(size).put32(static_cast<u32>(strings_.size()));
    head.append(types_.bytes()).append(strings_);
    return {reinterpret_cast<const char*>(head.bytes().data()), head.size()};
  }
  u32 string_bytes() const { return static_cast<u32>(strings_.size()); }

 private:
  u32 next_, first_string_;
  std::string strings_;
  ByteWriter types_;
};

enum BtfKind : u32 {
  kBtfInt = 1,
  kBtfPointer,
  kBtfArray,
  kBtfStruct,
  kBtfUnion,
  kBtfEnum,
  kBtfForward,
  kBtfTypedef,
  kBtfVolatile,
  kBtfConst,
  kBtfFunction = 12,
  kBtfPrototype,
  kBtfFloat = 16,
  kBtfEnum64 = 19,
};

// The types of a small kernel, by number.
struct SmallKernel {
  BtfWriter btf;
  u32 whole = btf.add(kBtfInt, "int", 4, {1u << 24 | 32});
  u32 character = btf.add(kBtfInt, "char", 1, {8});
  u32 size = btf.add(kBtfInt, "unsigned long", 8, {64});
  u32 text = btf.add(kBtfPointer, "", character);
  u32 fixed = btf.add(kBtfConst, "", character);
  u32 fixed_text = btf.add(kBtfPointer, "", fixed);
  u32 array = btf.add(kBtfArray, "", 0, {whole, whole, 10});
  u32 point = btf.add(kBtfStruct, "point", 8, {btf.name("x"), whole, 0, btf.name("y"), whole, 32}, 2);
  u32 point_name = btf.add(kBtfTypedef, "point_t", point);
  u32 flags =
      btf.add(kBtfStruct, "flags", 8,
              {btf.name("a"), size, 3u << 24, btf.name("b"), size, 5u << 24 | 35, btf.name("c"), whole, 64}, 3, true);
  u32 either = btf.add(kBtfUnion, "either", 4, {btf.name("i"), whole, 0, btf.name("c"), character, 0}, 2);
  u32 mode = btf.add(kBtfEnum, "mode", 4, {btf.name("OFF"), 0, btf.name("BAD"), ~0u}, 2, true);
  u32 mask = btf.add(kBtfEnum, "mask", 4, {btf.name("ALL"), ~0u}, 1);
  u32 wide = btf.add(kBtfEnum64, "wide", 8, {btf.name("HUGE"), 7, 1}, 1);
  u32 prototype = btf.add(kBtfPrototype, "", whole, {btf.name("path"), text, btf.name("at"), point_name, 0, 0}, 3);
  u32 function = btf.add(kBtfFunction, "open_point", prototype);
  u32 hidden = btf.add(kBtfForward, "hidden", 0);
  u32 other = btf.add(kBtfForward, "other", 0, {}, 0, true);
  u32 callback = btf.add(kBtfPointer, "", prototype);
  u32 nothing = btf.add(kBtfPointer, "", 0);
  u32 real = btf.add(kBtfFloat, "double", 8);
  u32 unnamed = btf.add(kBtfStruct, "", 4);
  u32 changing = btf.add(kBtfVolatile, "", point_name);

  BtfTypes types = BtfTypes::parse(btf.bytes(), "vmlinux").value();
  TypeRef at(u64 number) const { return {&types, number, true}; }
};

TEST(BtfTypes, ShapesLookThroughNamesAndQualifiers) {
  const SmallKernel kernel;
  for (const u32 number : {kernel.point, kernel.point_name, kernel.changing}) {
    const TypeShape shape = kernel.types.shape(kernel.at(number));
    EXPECT_EQ(shape.kind, TypeKind::Structure);
    EXPECT_EQ(shape.name, "point");
    EXPECT_EQ(shape.size, 8u);
  }
  EXPECT_EQ(kernel.types.shape(kernel.at(kernel.either)).kind, TypeKind::Union);
  EXPECT_EQ(kernel.types.shape(kernel.at(kernel.mode)).kind, TypeKind::Enumeration);
  EXPECT_EQ(kernel.types.shape(kernel.at(kernel.wide)).size, 8u);
  EXPECT_EQ(kernel.types.shape(kernel.at(kernel.real)).kind, TypeKind::Float);
  EXPECT_EQ(kernel.types.shape(kernel.at(kernel.prototype)).kind, TypeKind::Function);
}

TEST(BtfTypes, IntegersHaveSignsAndOnlyCharsMakeStrings) {
  const SmallKernel kernel;
  const TypeShape whole = kernel.types.shape(kernel.at(kernel.whole));
  EXPECT_EQ(whole.kind, TypeKind::Integer);
  EXPECT_TRUE(whole.is_signed);
  EXPECT_FALSE(whole.is_character);
  EXPECT_FALSE(kernel.types.shape(kernel.at(kernel.size)).is_signed);
  // Compilers do not mark char as signed.
  const TypeShape character = kernel.types.shape(kernel.at(kernel.character));
  EXPECT_TRUE(character.is_signed);
  EXPECT_TRUE(character.is_character);
}

TEST(BtfTypes, PointersAndArraysLeadToTheirTarget) {
  const SmallKernel kernel;
  const TypeShape text = kernel.types.shape(kernel.at(kernel.text));
  EXPECT_EQ(text.kind, TypeKind::Pointer);
  EXPECT_EQ(text.size, sizeof(void*));
  EXPECT_EQ(text.target.index, kernel.character);
  const TypeShape array = kernel.types.shape(kernel.at(kernel.array));
  EXPECT_EQ(array.kind, TypeKind::Array);
  EXPECT_EQ(array.size, 40u);
  EXPECT_EQ(array.target.index, kernel.whole);
}

TEST(BtfTypes, HaveNoSizeIfDeclaredOnlyOrMissing) {
  const SmallKernel kernel;
  EXPECT_EQ(kernel.types.shape(kernel.at(kernel.hidden)).kind, TypeKind::Other);
  EXPECT_FALSE(kernel.types.shape(kernel.at(kernel.hidden)).size);
  for (const u64 number : {u64{0}, u64{1000}, ~u64{0}})
    EXPECT_EQ(kernel.types.shape(kernel.at(number)).kind, TypeKind::Nothing) << number;
}

TEST(BtfTypes, MembersHavePlacesInBytesOrBits) {
  const SmallKernel kernel;
  const auto point = kernel.types.members(kernel.at(kernel.point_name));
  ASSERT_EQ(point.size(), 2u);
  EXPECT_EQ(point[1].name, "y");
  EXPECT_EQ(point[1].offset, 4u);
  EXPECT_EQ(point[1].bit_size, 0u);
  const auto flags = kernel.types.members(kernel.at(kernel.flags));
  ASSERT_EQ(flags.size(), 3u);
  EXPECT_EQ(flags[0].bit_size, 3u);
  EXPECT_EQ(flags[0].bit_start, 0u);
  EXPECT_EQ(flags[1].bit_size, 5u);
  EXPECT_EQ(flags[1].bit_start, 35u);
  EXPECT_EQ(flags[1].offset, 4u);
  EXPECT_EQ(flags[2].bit_size, 0u) << "between bit fields there are whole members";
  EXPECT_EQ(flags[2].offset, 8u);
  EXPECT_EQ(kernel.types.members(kernel.at(kernel.either)).size(), 2u);
  EXPECT_TRUE(kernel.types.members(kernel.at(kernel.whole)).empty());
}

TEST(BtfTypes, TextsAreDeclarations) {
  const SmallKernel kernel;
  const std::pair<u64, std::string_view> cases[] = {{kernel.whole, "int"},
                                                    {kernel.text, "char*"},
                                                    {kernel.fixed_text, "char*"},
                                                    {kernel.array, "int*"},
                                                    {kernel.point, "struct point"},
                                                    {kernel.point_name, "point_t"},
                                                    {kernel.either, "union either"},
                                                    {kernel.mode, "enum mode"},
                                                    {kernel.hidden, "struct hidden"},
                                                    {kernel.other, "union other"},
                                                    {kernel.nothing, "void*"},
                                                    {kernel.callback, "(function_type)*"},
                                                    {kernel.unnamed, "struct (unnamed)"},
                                                    {kernel.changing, "point_t"},
                                                    {0, "void"}};
  for (const auto& [number, expected] : cases) EXPECT_EQ(kernel.types.text(kernel.at(number)), expected) << number;
}

TEST(BtfTypes, FindsWhatACastNames) {
  const SmallKernel kernel;
  EXPECT_EQ(kernel.types.find("int").index, kernel.whole);
  EXPECT_EQ(kernel.types.find("struct point *").index, kernel.point);
  EXPECT_EQ(kernel.types.find(" const struct point**").index, kernel.point);
  EXPECT_EQ(kernel.types.find("point_t").index, kernel.point_name);
  EXPECT_EQ(kernel.types.find("union either").index, kernel.either);
  EXPECT_EQ(kernel.types.find("enum wide").index, kernel.wide);
  EXPECT_EQ(kernel.types.find("double").index, kernel.real);
  EXPECT_FALSE(kernel.types.find("open_point")) << "a function is no type";
  EXPECT_FALSE(kernel.types.find("struct hidden *")) << "nothing is known of its members";
  EXPECT_FALSE(kernel.types.find(""));
}

TEST(BtfTypes, EnumeratorsKeepTheirSignAndWidth) {
  const SmallKernel kernel;
  const auto mode = kernel.types.enumerators(kernel.types.find_enum("mode"));
  ASSERT_EQ(mode.size(), 2u);
  EXPECT_EQ(mode[1].name, "BAD");
  EXPECT_EQ(mode[1].value, -1);
  const auto mask = kernel.types.enumerators(kernel.types.find_enum("mask"));
  ASSERT_EQ(mask.size(), 1u);
  EXPECT_EQ(mask[0].value, i64{0xffffffff});
  const auto wide = kernel.types.enumerators(kernel.types.find_enum("wide"));
  ASSERT_EQ(wide.size(), 1u);
  EXPECT_EQ(wide[0].value, (i64{1} << 32) + 7);
  EXPECT_FALSE(kernel.types.find_enum("point"));
  EXPECT_TRUE(kernel.types.enumerators(kernel.at(kernel.point)).empty());
}

TEST(BtfTypes, FunctionsHaveParametersAndAResult) {
  const SmallKernel kernel;
  const auto parameters = kernel.types.parameters("open_point");
  ASSERT_TRUE(parameters);
  ASSERT_EQ(parameters->size(), 2u) << "what follows is \"...\"";
  EXPECT_EQ((*parameters)[0].name, "path");
  EXPECT_EQ((*parameters)[0].type.index, kernel.text);
  EXPECT_EQ((*parameters)[1].type.index, kernel.point_name);
  EXPECT_EQ(kernel.types.result_type("open_point").index, kernel.whole);
  EXPECT_FALSE(kernel.types.parameters("close_point"));
  EXPECT_FALSE(kernel.types.result_type("close_point"));
}

TEST(BtfTypes, AModuleGoesOnWithTheNumbersAndStringsOfTheKernel) {
  const SmallKernel kernel;
  const auto first = static_cast<u32>(kernel.types.type_count());
  BtfWriter module(first, kernel.btf.string_bytes());
  const u32 box = module.add(kBtfStruct, "box", 8, {module.name("lid"), kernel.point_name, 0}, 1);
  const u32 boxes = module.add(kBtfPointer, "", box);
  const auto types = BtfTypes::parse(module.bytes(), "xfs", &kernel.types);
  ASSERT_TRUE(types) << types.error().message;
  EXPECT_EQ(box, kernel.changing + 1);
  EXPECT_EQ(types->type_count(), first + 2u);
  EXPECT_EQ(types->find("struct box").index, box);
  const auto members = types->members({&*types, box, true});
  ASSERT_EQ(members.size(), 1u);
  EXPECT_EQ(members[0].name, "lid");
  EXPECT_EQ(types->shape(members[0].type).name, "point");
  EXPECT_EQ(types->text({&*types, boxes, true}), "struct box*");
  EXPECT_EQ(types->find("point_t").index, kernel.point_name);
  ASSERT_TRUE(types->parameters("open_point"));
  EXPECT_EQ(types->parameters("open_point")->size(), 2u);
  EXPECT_FALSE(types->find_enum("mode")) << "only among its own types";
}

TEST(BtfTypes, TypesThatLeadToThemselvesEnd) {
  BtfWriter btf;
  const u32 name = btf.add(kBtfTypedef, "loop", 1), qualifier = btf.add(kBtfConst, "", 2);
  const u32 pointer = btf.add(kBtfPointer, "", 3), array = btf.add(kBtfArray, "", 0, {4, 4, 2});
  const auto types = BtfTypes::parse(btf.bytes(), "x");
  ASSERT_TRUE(types) << types.error().message;
  const auto at = [&](u64 number) { return TypeRef{&*types, number, true}; };
  EXPECT_EQ(types->shape(at(name)).kind, TypeKind::Nothing);
  EXPECT_EQ(types->text(at(name)), "loop");
  EXPECT_EQ(types->text(at(qualifier)), "void");
  EXPECT_EQ(types->shape(at(pointer)).target.index, pointer);
  EXPECT_EQ(types->shape(at(array)).kind, TypeKind::Array);
  EXPECT_FALSE(types->shape(at(array)).size);
}

std::string btf_mistake(const std::string& bytes) {
  const auto types = BtfTypes::parse(bytes, "x");
  return types ? "no mistake" : types.error().message;
}

TEST(BtfTypes, RefusesWhatIsDamaged) {
  BtfWriter good, unknown, cut;
  good.add(kBtfInt, "int", 4, {32});
  EXPECT_EQ(btf_mistake(good.bytes()), "no mistake");
  EXPECT_EQ(btf_mistake(""), "x: not BTF of this machine's byte order");
  EXPECT_EQ(btf_mistake(good.bytes().substr(0, 20)), "x: not BTF of this machine's byte order");
  std::string swapped = good.bytes();
  std::swap(swapped[0], swapped[1]);
  EXPECT_EQ(btf_mistake(swapped), "x: not BTF of this machine's byte order");
  EXPECT_EQ(btf_mistake(good.bytes().substr(0, 41)), "x: sections extend past the end of the file");
  unknown.add(31, "what", 4);
  EXPECT_EQ(btf_mistake(unknown.bytes()), "x: type 1 of kind 31 is invalid");
  cut.add(kBtfStruct, "short", 4, {0, 0, 0}, 2);  // two members, one of which is missing
  EXPECT_EQ(btf_mistake(cut.bytes()), "x: type 1 of kind 4 is invalid");
}

}  // namespace
}  // namespace peregrine
