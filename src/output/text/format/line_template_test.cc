#include "output/text/format/line_template.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace peregrine {
namespace {

class FieldsOfAnOpen : public FieldValues {
 public:
  explicit FieldsOfAnOpen(const UsedFields& names) : names_(names) {}
  std::optional<i128> number(std::size_t field) const override {
    const std::string& name = names_.used()[field];
    if (name == "pid") return 42;
    return name == "flags" ? std::optional<i64>(0x80000) : std::nullopt;
  }
  bool append(std::string& out, std::size_t field) const override {
    const std::string& name = names_.used()[field];
    if (name == "error") return false;
    out += name == "pid" ? "42" : name == "flags" ? "CLOEXEC" : "/tmp/\xc3\xa4\n";
    return true;
  }

 private:
  const UsedFields& names_;
};

std::string line_of(std::string_view text) {
  UsedFields names({.kind =
                        [](std::string_view name) {
                          constexpr std::string_view kNames = " pid flags error sys:open.path ";
                          return kNames.contains(" " + std::string(name) + " ") ? FieldForm::Named : FieldForm::Unknown;
                        },
                    .all = [] { return std::vector<std::string>{"pid", "flags", "error"}; }});
  const auto line = LineTemplate::parse(text, names);
  if (!line) return line.error().message;
  std::string out;
  line->append(out, FieldsOfAnOpen(names));
  return out;
}

TEST(LineTemplate, PutsFieldsIntoText) {
  EXPECT_EQ(line_of("{pid} {{{flags}}}\\t{error}|"), "42 {CLOEXEC}\t-|\n");
  EXPECT_EQ(line_of("no field\\n"), "no field\n");
  EXPECT_EQ(line_of("{sys:open.path}"), "/tmp/\xc3\xa4\\x0a\n");
}

TEST(LineTemplate, AlignsAndFormats) {
  EXPECT_EQ(line_of("[{pid:5}][{pid:<5}][{pid:05}]"), "[   42][42   ][00042]\n");
  EXPECT_EQ(line_of("[{flags:x}][{flags:10d}][{flags:.3}]"), "[80000][    524288][CLO]\n");
  EXPECT_EQ(line_of("[{error:>4}][{sys:open.path:.6}]"), "[   -][/tmp/\xc3\xa4]\n");
}

TEST(LineTemplate, ShowsErrorsInTheirPlace) {
  EXPECT_TRUE(line_of("{pid").contains("--format syntax error: '{pid'\n                        \\___ unmatched '{'"));
  EXPECT_TRUE(line_of("pid}").contains("unmatched '}'"));
  EXPECT_TRUE(line_of("{}").contains("expected a field after '{'"));
  EXPECT_TRUE(line_of("{pidd}").contains("unknown field 'pidd'"));
  EXPECT_TRUE(line_of("{pid:5q}").contains("invalid format 'q'"));
  EXPECT_TRUE(line_of("{pid:99999}").contains("expected a number up to 1000"));
}

}  // namespace
}  // namespace peregrine
