#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "abi/sample.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "script/answers.h"
#include "script/interpreter.h"
#include "support/temporary_folder.h"

namespace peregrine::script {
namespace {

// A plug-in that cannot be loaded makes no queries.
class SilentAnswers final : public Answers {
 public:
  std::string comm() override { return {}; }
  std::span<const ChainFrame> chain() override { return {}; }
  PlaceAnswer frame(FrameId) override { return {}; }
  PlaceAnswer code() override { return {}; }
  PlaceAnswer place(u64) override { return {}; }
  std::string registers(const abi::Registers&) override { return {}; }
  std::string data_source(u64) override { return {}; }
  Bytes instruction() override { return {}; }
  SourceAnswer source(u64, bool) override { return {}; }
  std::string_view syscall_name(u32) override { return {}; }
  std::optional<std::string> setting(std::string_view) override { return {}; }
};

Error load_mistake(const std::string& folder, Language language) {
  SilentAnswers answers;
  const Setup setup{.file = "x.py", .arguments = {}, .answers = answers};
  const auto loaded = load_interpreter(folder, language, setup);
  return loaded ? Error{ErrorKind::System, "it was loaded"} : loaded.error();
}

TEST(LoadInterpreter, TellsHowToGetAPlugInThatIsMissing) {
  const TemporaryFolder folder;
  const Error python = load_mistake(folder.path(), Language::Python);
  EXPECT_EQ(python.kind, ErrorKind::Unsupported);
  EXPECT_EQ(python.message, "this build has no Python: " + folder.path("script_python.so") + " does not exist");
  EXPECT_EQ(python.hint, "build with -DPEREGRINE_PYTHON=ON, or install the whole package");
  const Error perl = load_mistake(folder.path(), Language::Perl);
  EXPECT_EQ(perl.message, "this build has no Perl: " + folder.path("script_perl.so") + " does not exist");
  EXPECT_EQ(perl.hint, "build with -DPEREGRINE_PERL=ON, or install the whole package");
}

TEST(LoadInterpreter, NamesThePackageOfALibraryThatCannotBeLoaded) {
  const TemporaryFolder folder;
  const std::string file = folder.write("script_perl.so", "this is not a library");
  const Error broken = load_mistake(folder.path(), Language::Perl);
  EXPECT_EQ(broken.kind, ErrorKind::Unsupported);
  EXPECT_TRUE(broken.message.starts_with("cannot load " + file)) << broken.message;
  EXPECT_EQ(broken.hint, "Perl is needed for Perl scripts (Debian: apt install libperl5.36)");
}

}  // namespace
}  // namespace peregrine::script
