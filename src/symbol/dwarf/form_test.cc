// How attribute values are encoded, and how unneeded entries are skipped.
#include "symbol/dwarf/form.h"

#include <gtest/gtest.h>

#include <span>

#include "symbol/dwarf/abbreviation.h"

namespace peregrine {
namespace {

using namespace std::string_view_literals;

// The value at the start of `bytes`; nothing if it cannot be read.
std::optional<FormValue> form_value(DwarfForm form, std::string_view bytes, UnitFormat format = {}, i64 implicit = 0,
                                    ByteOrder order = ByteOrder::Little) {
  ByteReader reader(std::as_bytes(std::span(bytes)), order);
  FormValue value;
  if (!read_form(reader, form, implicit, format, value)) return std::nullopt;
  return value;
}

TEST(Forms, ConstantsHaveTheirWidthInTheirName) {
  EXPECT_EQ(form_value(DwarfForm::Data1, "\x12\x34\x56\x78\x9a\xbc\xde\xf0"sv)->number, 0x12u);
  EXPECT_EQ(form_value(DwarfForm::Data2, "\x12\x34\x56\x78\x9a\xbc\xde\xf0"sv)->number, 0x3412u);
  EXPECT_EQ(form_value(DwarfForm::Data4, "\x12\x34\x56\x78\x9a\xbc\xde\xf0"sv)->number, 0x78563412u);
  EXPECT_EQ(form_value(DwarfForm::Data8, "\x12\x34\x56\x78\x9a\xbc\xde\xf0"sv)->number, 0xf0debc9a78563412u);
  EXPECT_EQ(form_value(DwarfForm::UnsignedData, "\xe5\x8e\x26"sv)->number, 624485u);
  EXPECT_EQ(static_cast<i64>(form_value(DwarfForm::SignedData, "\xc0\xbb\x78"sv)->number), -123456);
}

TEST(Forms, IndicesOfThreeBytesFollowTheByteOrder) {
  EXPECT_EQ(form_value(DwarfForm::TextIndex3, "\x01\x02\x03"sv)->number, 0x030201u);
  EXPECT_EQ(form_value(DwarfForm::AddressIndex3, "\x01\x02\x03"sv, {}, 0, ByteOrder::Big)->number, 0x010203u);
}

TEST(Forms, AddressesAndOffsetsAreAsWideAsTheUnitSays) {
  const auto bytes = "\x01\x00\x00\x00\x02\x00\x00\x00"sv;
  EXPECT_EQ(form_value(DwarfForm::Address, bytes, {.address_size = 4})->number, 1u);
  EXPECT_EQ(form_value(DwarfForm::Address, bytes, {.address_size = 8})->number, 0x200000001u);
  EXPECT_EQ(form_value(DwarfForm::TextOffset, bytes, {.offset_size = 4})->number, 1u);
  EXPECT_EQ(form_value(DwarfForm::TextOffset, bytes, {.offset_size = 8})->number, 0x200000001u);
  EXPECT_EQ(fixed_size(DwarfForm::ReferenceAddress, {.version = 2, .address_size = 8, .offset_size = 4}), 8u)
      << "DWARF 2 made it as wide as an address";
  EXPECT_EQ(fixed_size(DwarfForm::ReferenceAddress, {.version = 3, .address_size = 8, .offset_size = 4}), 4u);
}

TEST(Forms, SomeValuesAreNotInTheEntry) {
  EXPECT_EQ(form_value(DwarfForm::FlagPresent, ""sv)->number, 1u);
  EXPECT_EQ(static_cast<i64>(form_value(DwarfForm::ImplicitConstant, ""sv, {}, -7)->number), -7);
  EXPECT_TRUE(form_value(DwarfForm::ImplicitConstant, ""sv, {}, -7)->is_constant());
  EXPECT_FALSE(form_value(DwarfForm::Address, "\0\0\0\0\0\0\0\0"sv)->is_constant());
}

TEST(Forms, TextsEndWithANulAndBlocksHaveASize) {
  EXPECT_EQ(form_value(DwarfForm::Text, "main\0x"sv)->text, "main");
  EXPECT_EQ(form_value(DwarfForm::Text, "main"sv), std::nullopt) << "no NUL";
  EXPECT_EQ(form_value(DwarfForm::Block1,
                       "\x02"
                       "abc"sv)
                ->text,
            "ab");
  EXPECT_EQ(form_value(DwarfForm::Block2,
                       "\x02\x00"
                       "abc"sv)
                ->text,
            "ab");
  EXPECT_EQ(form_value(DwarfForm::Expression,
                       "\x03"
                       "abc"sv)
                ->text,
            "abc");
  EXPECT_EQ(form_value(DwarfForm::Block4,
                       "\xff\xff\xff\xff"
                       "abc"sv),
            std::nullopt)
      << "longer than the section";
}

TEST(Forms, IndirectOnesNameTheirForm) {
  const auto value = form_value(DwarfForm::Indirect, "\x0b\x2a"sv);
  EXPECT_EQ(value->form, DwarfForm::Data1);
  EXPECT_EQ(value->number, 0x2au);
  EXPECT_EQ(form_value(DwarfForm::Indirect, "\x16\x0b\x2a"sv), std::nullopt) << "but not another indirect one";
  EXPECT_EQ(form_value(DwarfForm::Indirect, "\x21"sv), std::nullopt);
}

TEST(Forms, UnknownAndCutOnesAreRefused) {
  EXPECT_EQ(form_value(static_cast<DwarfForm>(0x7f), "\0\0\0\0"sv), std::nullopt);
  EXPECT_EQ(form_value(DwarfForm::Data4, "\0\0\0"sv), std::nullopt);
  EXPECT_EQ(form_value(DwarfForm::UnsignedData, "\x80"sv), std::nullopt);
}

TEST(Forms, SupplementsAreReferredToByFormsOfTheirOwn) {
  EXPECT_TRUE(refers_to_supplement(DwarfForm::GnuReferenceAlternative));
  EXPECT_TRUE(refers_to_supplement(DwarfForm::ReferenceSupplement8));
  EXPECT_FALSE(refers_to_supplement(DwarfForm::Reference4));
}

std::optional<AbbreviationTable> abbreviations(std::string_view bytes, bool complete = true, u64 only_code = 0) {
  return AbbreviationTable::parse(std::as_bytes(std::span(bytes)), ByteOrder::Little, {}, complete, only_code);
}

// Code 1: a compile unit with children: name (text), low pc (address). Code 7: a base type: size (data1).
constexpr auto kTwoAbbreviations =
    "\x01\x11\x01\x03\x08\x11\x01\x00\x00"
    "\x07\x24\x00\x0b\x0b\x00\x00"
    "\x00"sv;

TEST(Abbreviations, TellTheAttributesOfAnEntry) {
  const auto table = abbreviations(kTwoAbbreviations);
  ASSERT_TRUE(table);
  const Abbreviation* unit = table->find(1);
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->tag, DwarfTag::CompileUnit);
  EXPECT_TRUE(unit->has_children);
  ASSERT_EQ(table->specs(*unit).size(), 2u);
  EXPECT_EQ(table->specs(*unit)[0].attribute, DwarfAttribute::Name);
  EXPECT_EQ(table->specs(*unit)[1].form, DwarfForm::Address);
  const Abbreviation* type = table->find(7);
  ASSERT_NE(type, nullptr) << "codes need not be dense";
  EXPECT_FALSE(type->has_children);
  EXPECT_EQ(table->find(0), nullptr);
  EXPECT_EQ(table->find(2), nullptr);
}

TEST(Abbreviations, SkipAnEntryAsAWhole) {
  const auto table = abbreviations(kTwoAbbreviations);
  ASSERT_TRUE(table);
  const auto entry = "name\0\x01\x02\x03\x04\x05\x06\x07\x08next"sv;
  ByteReader reader(std::as_bytes(std::span(entry)), ByteOrder::Little);
  EXPECT_TRUE(table->skip(reader, *table->find(1)));
  EXPECT_EQ(reader.text(4), "next");
  ByteReader cut(std::as_bytes(std::span(entry)).first(9), ByteOrder::Little);
  EXPECT_FALSE(table->skip(cut, *table->find(1)));
}

TEST(Abbreviations, ImplicitConstantsAreInTheTable) {
  const auto table = abbreviations("\x01\x24\x00\x0b\x21\x7c\x00\x00\x00"sv);  // size: -4
  ASSERT_TRUE(table);
  EXPECT_EQ(table->specs(*table->find(1))[0].implicit, -4);
}

TEST(Abbreviations, ATableThatDoesNotEndInThePieceIsReadAgainWithMore) {
  EXPECT_FALSE(abbreviations(kTwoAbbreviations.substr(0, 12), false));
  EXPECT_TRUE(abbreviations(kTwoAbbreviations.substr(0, 12), false, 1)) << "the wanted code is whole";
  const auto rest = abbreviations(kTwoAbbreviations.substr(0, 12), true);
  ASSERT_TRUE(rest) << "nothing follows in the section";
  EXPECT_NE(rest->find(1), nullptr);
  EXPECT_EQ(rest->find(7), nullptr);
}

}  // namespace
}  // namespace peregrine
