// How commands handle the options that name recordings, symbols, guests and servers.
#include "cmd/recording/recording.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/types.h"
#include "cli/frame/message.h"
#include "cmd/recording/debug_servers.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/guest_settings.h"
#include "cmd/recording/kept_files.h"
#include "output/sink.h"
#include "session/export/output_format.h"
#include "session/export/output_target.h"
#include "session/report/report_request.h"
#include "support/temporary_folder.h"
#include "symbol/lookup/debug_server.h"

namespace peregrine::cmd {
namespace {

class RecordingOptionsTest : public ::testing::Test {
 protected:
  // Everything written to stderr since the last call.
  std::string said() {
    ::lseek(memory_.get(), 0, SEEK_SET);
    std::string text = read_all(memory_.get(), "messages").value_or("");
    EXPECT_EQ(::ftruncate(memory_.get(), 0), 0);
    ::lseek(memory_.get(), 0, SEEK_SET);
    return text;
  }

  static constexpr Command kAnnotateLike{.name = "annotate", .summary = "code"};
  const TemporaryFolder folder_;
  Fd memory_{::memfd_create("messages", MFD_CLOEXEC)};
  Messages messages_{"perf", memory_.get()};
  Config config_;
  Sink out_;
  Invocation call_{
      .command = kAnnotateLike, .config = config_, .messages = messages_, .out = out_, .argv = {}, .arguments = {}};
};

Error opening_error(ErrorKind kind, std::string message, int number = 0) {
  Error error{kind, std::move(message)};
  error.system_errno = number;
  return error;
}

TEST_F(RecordingOptionsTest, MissingRecordingsAreReportedAsLinuxPerfDoes) {
  const Error missing = opening_error(ErrorKind::NotFound, "not there", ENOENT);
  const std::string path = folder_.path("perf.dta");
  EXPECT_EQ(say_open_error(call_, path, missing), 255);
  EXPECT_EQ(said(), "failed to open " + path + ": No such file or directory\n");
  folder_.write("perf.data", "");
  say_open_error(call_, path, missing);
  EXPECT_EQ(said(), "failed to open " + path + ": No such file or directory\nhint: did you mean '" +
                        folder_.path("perf.data") + "'?\n");
}

TEST_F(RecordingOptionsTest, MissingDefaultRecordingsNameTheRecorder) {
  const Error missing = opening_error(ErrorKind::NotFound, "not there", ENOENT);
  say_open_error(call_, "perf.data.old", missing, "record", "record twice");
  EXPECT_EQ(said(), "failed to open perf.data.old: No such file or directory  (record twice)\n");
  say_open_error(call_, "", missing, "sched record");
  EXPECT_TRUE(said().ends_with(": No such file or directory  (try 'perf sched record' first)\n"));
}

TEST_F(RecordingOptionsTest, DeniedRecordingsSayWhy) {
  EXPECT_EQ(say_open_error(call_, "x", opening_error(ErrorKind::Denied, "m", EACCES)), 255);
  EXPECT_EQ(said(), "failed to open x: Permission denied\n");
  EXPECT_EQ(say_open_error(call_, "x", opening_error(ErrorKind::Denied, "File x not owned by current user")), 255);
  EXPECT_EQ(said(), "File x not owned by current user\n");
}

TEST_F(RecordingOptionsTest, UnreadableRecordingsAreErrorsWithAHint) {
  EXPECT_EQ(say_open_error(call_, "x", opening_error(ErrorKind::Malformed, "zero-sized data (x), nothing to do!")),
            255);
  EXPECT_EQ(said(), "zero-sized data (x), nothing to do!\n");
  EXPECT_EQ(say_open_error(call_, "x", opening_error(ErrorKind::Malformed, "x: no recording")), 255);
  EXPECT_EQ(said(), "perf: x: no recording\n");
  say_open_error(call_, "-", opening_error(ErrorKind::Malformed, "-: no recording"));
  EXPECT_EQ(said(), "perf: -: no recording\nhint: to write a recording to a pipe, use `record -o -`\n");
}

TEST_F(RecordingOptionsTest, FilesAreNoSymbols) {
  const std::string file = folder_.write("perf.data.old", "");
  call_.words = {"main", "absent/perf.data", file};
  const auto refused = refuse_recordings(call_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
  EXPECT_EQ(refused.error().message, "'" + file + "' is a file, not a symbol");
  EXPECT_EQ(refused.error().hint, "to read a recording, run: perf annotate -i " + file);
  call_.words = {"main", "absent/perf.data"};
  EXPECT_TRUE(refuse_recordings(call_)) << "a file that is not there may be a symbol's name";
}

TEST_F(RecordingOptionsTest, FilesWithTheMagicAreRecordings) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  folder_.write("ok.data", "PERFILE2 and so on");
  folder_.write("main", "int main() {}");
  EXPECT_TRUE(is_recording("ok.data"));
  EXPECT_FALSE(is_recording("main")) << "may be a symbol's name";
  EXPECT_FALSE(is_recording("absent"));
  call_.words = {"ok.data"};
  EXPECT_FALSE(refuse_recordings(call_));
  std::filesystem::current_path(before);
}

TEST_F(RecordingOptionsTest, VerbatimRefusalsHaveAnExitCode) {
  EXPECT_EQ(refuse_verbatim(call_, "no"), 255);
  EXPECT_EQ(refuse_verbatim(call_, "never", 3), 3);
  EXPECT_EQ(said(), "no\nnever\n");
}

TEST_F(RecordingOptionsTest, SafeCellsNeedCells) {
  const auto run = [](Invocation& call) -> Result<int> {
    call.out.append("a,=1+1\n");
    return 0;
  };
  OutputFormat format;
  format.csv_safe = true;
  const std::string message = "--csv-safe requires CSV: use --format csv or, if available, --field-separator";
  EXPECT_EQ(write_into(format, Writing{}, "", "x", call_, run).error().message, message);
  format.name = "json";
  EXPECT_EQ(write_into(format, Writing{}, ",", "x", call_, run).error().message, message);
  EXPECT_EQ(out_.text(), "");
}

TEST_F(RecordingOptionsTest, OutputGoesToTheFileUnlessTheRecordingIsMissing) {
  const auto run = [](Invocation& call) -> Result<int> {
    call.out.append("rows\n");
    return 0;
  };
  OutputFormat format;
  format.output = folder_.path("out.txt");
  EXPECT_EQ(write_into(format, Writing{}, "", folder_.path("absent.data"), call_, run), 0);
  EXPECT_EQ(out_.take(), "rows\n");
  EXPECT_FALSE(folder_.has("out.txt")) << "a mistyped recording must not cost what the file holds";
  EXPECT_EQ(write_into(format, Writing{}, "", folder_.write("perf.data", "x"), call_, run), 0);
  EXPECT_EQ(folder_.text("out.txt"), "rows\n");
  EXPECT_EQ(out_.take(), "");
}

TEST(SymbolOptionsTest, SymfsHasALayoutBehindTheLastComma) {
  struct Case {
    const char *symfs, *folder;
    bool flat;
  };
  for (const Case& test :
       {Case{"", "", false}, Case{"/root", "/root", false}, Case{"/root,flat", "/root", true},
        Case{"/root,hierarchy", "/root", false}, Case{"/a,b", "/a,b", false},
        Case{"/a,flat,hierarchy", "/a,flat", false}, Case{"/a,b,flat", "/a,b", true}, Case{"/a,", "/a,", false}}) {
    SymbolOptions options;
    options.symfs = test.symfs;
    EXPECT_EQ(options.sysroot().folder, test.folder) << test.symfs;
    EXPECT_EQ(options.sysroot().flat, test.flat) << test.symfs;
  }
}

TEST(SymbolOptionsTest, StrippedFunctionsCanBeTurnedOffByPerfconfig) {
  SymbolOptions options;
  options.stripped_functions = true;
  EXPECT_TRUE(symbol_request(options, Config()).stripped_functions);
  EXPECT_FALSE(symbol_request(options, Config::of({}, {{"report.stripped-functions", "no"}})).stripped_functions);
  options.stripped_functions = false;
  EXPECT_FALSE(symbol_request(options, Config::of({}, {{"report.stripped-functions", "yes"}})).stripped_functions);
}

TEST(GuestSettings, PassThroughTheConfiguration) {
  GuestOptions guests;
  guests.places.kallsyms = "/k";
  guests.places.mount = "/m";
  Config config;
  set_guests(guests, config);
  const GuestPlaces places = guest_places(config, {});
  EXPECT_EQ(places.kallsyms, "/k");
  EXPECT_EQ(places.mount, "/m");
  EXPECT_EQ(places.modules, "");
  EXPECT_EQ(guest_places(config, {.kallsyms = "/own"}).kallsyms, "/own") << "what the command says itself wins";
}

TEST(GuestSettings, ChooseTheSidesThatAreRead) {
  struct Case {
    bool host;
    std::optional<bool> guest;
    bool hosts, guests;
  };
  for (const Case& test :
       {Case{false, std::nullopt, false, true}, Case{true, std::nullopt, true, true}, Case{true, false, true, false},
        Case{false, true, false, true}, Case{false, false, false, false}}) {
    Config config;
    set_guests({.places = {}, .host = test.host, .guest = test.guest}, config);
    EXPECT_EQ(wants_hosts(config), test.hosts);
    EXPECT_EQ(wants_guests(config), test.guests);
    SampleSelection selection;
    choose_sides(selection, config);
    EXPECT_EQ(selection.hosts, test.hosts);
    EXPECT_EQ(selection.guests, test.guests);
  }
}

TEST(GuestSettings, BothSidesAreReadUnlessOneIsChosen) {
  EXPECT_EQ(wants_guests(Config()), std::nullopt);
  SampleSelection selection;
  choose_sides(selection, Config());
  EXPECT_TRUE(selection.hosts && selection.guests);
}

TEST(KeptFilesSetting, IsAQuantityOrNothing) {
  const auto keeps = [](std::vector<std::string> environment, std::vector<Setting> settings) {
    return static_cast<bool>(kept_files(Config::of(std::move(environment), std::move(settings))));
  };
  EXPECT_TRUE(keeps({"HOME=/home/u"}, {}));
  EXPECT_TRUE(keeps({"HOME=/home/u"}, {{"lines.cache-size", "1M"}}));
  EXPECT_FALSE(keeps({"HOME=/home/u"}, {{"lines.cache-size", "0"}}));
  EXPECT_FALSE(keeps({"HOME=/home/u"}, {{"lines.cache-size", "much"}}));
  EXPECT_FALSE(keeps({}, {})) << "there is no place without a home";
}

TEST(DebugServers, AreThoseOfTheOptionTheVariableOrPerfconfig) {
  const Setting setting{"buildid-cache.debuginfod", "http://config"};
  const Config both = Config::of({"DEBUGINFOD_URLS=http://variable"}, {setting});
  EXPECT_EQ(debug_server_request("http://option", both).urls, "http://option");
  EXPECT_EQ(debug_server_request("", both).urls, "http://variable");
  EXPECT_EQ(debug_server_request("", Config::of({}, {setting})).urls, "http://config");
  EXPECT_EQ(debug_server_request("", Config()).urls, "");
  EXPECT_EQ(debug_server_request("", Config::of({"DEBUGINFOD_URLS="}, {setting})).urls, "")
      << "an empty variable turns them off";
}

TEST(DebugServers, HaveTheLimitsOfTheLibrarysVariables) {
  const TransferLimits usual = debug_server_request("", Config()).limits;
  const auto limits = [](std::vector<std::string> variables) {
    return debug_server_request("", Config::of(std::move(variables), {})).limits;
  };
  EXPECT_EQ(limits({"DEBUGINFOD_MAXSIZE=4096"}).bytes, 4096u);
  EXPECT_EQ(limits({"DEBUGINFOD_MAXSIZE=18446744073709551615"}).bytes, u64{1} << 62);
  EXPECT_EQ(limits({"DEBUGINFOD_MAXSIZE=0"}).bytes, usual.bytes);
  EXPECT_EQ(limits({"DEBUGINFOD_MAXSIZE=x"}).bytes, usual.bytes);
  EXPECT_EQ(limits({"DEBUGINFOD_MAXTIME=90"}).transfer, std::chrono::seconds(90));
  EXPECT_EQ(limits({"DEBUGINFOD_MAXTIME=99999999999"}).transfer, std::chrono::seconds(1'000'000));
}

TEST(DebugServers, KeepFilesWhereTheLibraryDoes) {
  const TemporaryFolder home;
  const auto folder = [&](std::vector<std::string> variables) {
    variables.push_back("HOME=" + home.path());
    return debug_server_folder(Config::of(std::move(variables), {}));
  };
  EXPECT_EQ(folder({}), home.path(".cache/debuginfod_client"));
  EXPECT_EQ(folder({"XDG_CACHE_HOME=/c"}), "/c/debuginfod_client");
  home.write(".debuginfod_client_cache", "");
  EXPECT_EQ(folder({"XDG_CACHE_HOME=/c"}), home.path(".debuginfod_client_cache")) << "its former place, if it is there";
  EXPECT_EQ(folder({"DEBUGINFOD_CACHE_PATH=/d"}), "/d");
  EXPECT_EQ(debug_server_folder(Config()), "");
}

}  // namespace
}  // namespace peregrine::cmd
