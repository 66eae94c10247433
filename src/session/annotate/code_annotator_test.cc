#include "session/annotate/code_annotator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "machine/dso/dso.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AnnotateListener : public SessionListener {
 public:
  void warning(std::string_view text, std::string_view) override { warnings.emplace_back(text); }
  void note(std::string_view, std::string_view) override {}
  void verbatim(std::string_view) override {}
  std::vector<std::string> warnings;
};

// The output when no function was hit.
std::string empty_annotation(std::string format, AnnotateListener& listener) {
  SymbolPlaces places;
  places.load = false;
  const Machine machine(std::move(places));
  const RecordedHits hits{.symbols = {}, .totals = {Hits{}}};
  Sink out;
  AnnotateLook look;
  look.format = std::move(format);
  CodeAnnotator annotator(machine, hits, {"cycles"}, {}, std::move(look), out);
  annotator.print({0}, data::Evlist());
  annotator.finish(&listener);
  return out.take();
}

TEST(CodeAnnotator, WritesWholeDocumentsWithoutFunctions) {
  AnnotateListener listener;
  EXPECT_EQ(empty_annotation("", listener), "");
  EXPECT_THAT(empty_annotation("csv", listener), HasSubstr("symbol"));
  const std::string json = empty_annotation("json", listener);
  EXPECT_EQ(std::ranges::count(json, '['), std::ranges::count(json, ']'));
  EXPECT_THAT(json, HasSubstr("["));
  EXPECT_THAT(listener.warnings, IsEmpty());
}

}  // namespace
}  // namespace peregrine
