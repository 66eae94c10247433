#include "session/daemon/session_control.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace peregrine {
namespace {

using ListAnswer = Result<std::vector<std::string>>;

ListAnswer answer_to_list() {
  std::vector<std::string> texts{"10", "daemon", "", "/base", "7", "running", "0"};
  const auto add = [&](const std::string& name, const std::string& state) {
    texts.insert(texts.end(), {"-", name, "-a", "/base/session-" + name, "0", state, "0"});
  };
  add("on", "running");
  add("again", "killed (signal 9), restarts in 4 s");
  add("done", "exited, status=0");
  return texts;
}

BookedSession started_session(const std::string& name) {
  return {.name = name, .record = "-a", .events = {}, .is_started = true};
}

TEST(SessionState, IsThatOfTheDaemonsRow) {
  const ListAnswer answer = answer_to_list();
  EXPECT_EQ(session_state(answer, started_session("on")), SessionState::Started);
  EXPECT_EQ(session_state(answer, started_session("again")), SessionState::Failed);
  EXPECT_EQ(session_state(answer, started_session("done")), SessionState::Ended);
  EXPECT_EQ(session_state(answer, started_session("unknown")), SessionState::Ended);
  EXPECT_EQ(session_state(answer, started_session("daemon")), SessionState::Ended) << "the daemon's own row";
}

TEST(SessionState, IsStoppedUnlessStarted) {
  BookedSession session = started_session("on");
  session.is_started = false;
  EXPECT_EQ(session_state(answer_to_list(), session), SessionState::Stopped);
}

TEST(SessionState, IsEndedOnlyWithoutADaemon) {
  const ListAnswer none = fail(ErrorKind::NotFound, "no daemon is running in /base");
  const ListAnswer silent = fail(ErrorKind::System, "the daemon in '/base' does not respond");
  EXPECT_EQ(session_state(none, started_session("on")), SessionState::Ended);
  EXPECT_EQ(session_state(silent, started_session("on")), SessionState::Started);
}

}  // namespace
}  // namespace peregrine
