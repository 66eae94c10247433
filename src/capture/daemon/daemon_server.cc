#include "capture/daemon/daemon_server.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "capture/daemon/daemon_socket.h"

namespace peregrine {
namespace {

using std::chrono::steady_clock;

std::string end_text(int status) {
  if (WIFEXITED(status)) return fmt::format("exited, status={}", WEXITSTATUS(status));
  return fmt::format("killed (signal {})", WTERMSIG(status));
}

std::string minutes_since(steady_clock::time_point when) {
  return fmt::format("{}", std::chrono::duration_cast<std::chrono::minutes>(steady_clock::now() - when).count());
}

bool is_chosen(const DaemonSession& session, std::string_view name) { return name.empty() || session.name() == name; }

}  // namespace

Result<DaemonServer> DaemonServer::open(DaemonSetup setup) {
  auto watch = Watch::open({SIGCHLD, SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  DaemonServer server(std::move(setup), std::move(*watch));
  PEREGRINE_TRY(server.lock());
  auto listener = listen_as_daemon(server.base());
  if (!listener) return std::unexpected(std::move(listener.error()));
  server.listener_ = std::move(*listener);
  PEREGRINE_TRY(server.watch_files());
  return server;
}

Result<> DaemonServer::lock() {
  const std::string path = base() + "/lock";
  auto file = open_file(path, O_RDWR | O_CREAT, 0640);
  if (!file) return std::unexpected(std::move(file.error()));
  if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(path);
    const auto owner = read_file(path, 64);
    return fail(ErrorKind::Unsupported, "another daemon (pid {}) owns {}", owner ? *owner : "?", base());
  }
  lock_ = std::move(*file);
  return {};
}

// Their folders, since a file may be written anew or replaced by another one.
Result<> DaemonServer::watch_files() {
  inotify_ = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify_) return fail_errno("inotify");
  for (const std::string& file : setup_.watched) {
    const std::string folder = std::filesystem::path(file).parent_path();
    if (::inotify_add_watch(inotify_.get(), folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO) < 0 && errno != ENOENT)
      return fail_errno(folder);
  }
  return {};
}

Result<> DaemonServer::run() {
  const std::string pid = fmt::format("{}", ::getpid());
  if (::ftruncate(lock_.get(), 0) != 0) return fail_errno(base() + "/lock");
  PEREGRINE_TRY(pwrite_all(lock_.get(), pid.data(), pid.size(), 0, base() + "/lock"));
  setup_.log(fmt::format("daemon started (pid {})", pid));
  watch_.set_control(listener_.get());
  watch_.set_notice(inotify_.get());
  start_missing();
  while (!last_client_) {
    const auto seen = watch_.wait(std::chrono::milliseconds(-1));
    if (!seen) return std::unexpected(seen.error());
    reap();
    if (std::ranges::any_of(seen->signals, [](int number) { return number != SIGCHLD; })) break;
    if (seen->noticed && config_changed()) reconfigure();
    if (seen->steered) answer_client();
  }
  end_sessions([](const DaemonSession&) { return true; });
  ::unlink((base() + "/control").c_str());
  setup_.log("daemon exited");
  lock_.reset();
  last_client_.reset();  // now it knows
  return {};
}

void DaemonServer::start_missing() {
  for (const SessionPlan& plan : setup_.plan.sessions) {
    if (std::ranges::find(sessions_, plan.name, &DaemonSession::name) != sessions_.end()) continue;
    auto session = DaemonSession::start(plan, base(), setup_.program, watch_.previous_mask());
    if (!session) {
      setup_.log(fmt::format("session '{}' does not start: {}", plan.name, session.error().message));
      continue;
    }
    setup_.log(fmt::format("session '{}' started (pid {}): {}", plan.name, session->pid(), plan.run));
    sessions_.push_back(std::move(*session));
  }
}

// Asked by their fifo first, so that they end as if their command had ended; then told, then killed.
void DaemonServer::end_sessions(const Choice& leaves) {
  constexpr std::chrono::seconds kAsked(4), kTold(10);
  const auto begin = steady_clock::now();
  const auto send = [&](int number) {
    for (const DaemonSession& session : sessions_)
      if (leaves(session)) session.send(number);
  };
  for (const DaemonSession& session : sessions_)
    if (leaves(session) && !session.command("stop")) session.send(SIGTERM);
  int sent = 0;
  while (std::ranges::any_of(sessions_, leaves)) {
    const auto waited = steady_clock::now() - begin;
    const int due = waited > kTold ? SIGKILL : waited > kAsked ? SIGTERM : 0;
    if (due != sent) send(due);
    sent = due;
    ::poll(nullptr, 0, 5);
    reap();
  }
}

void DaemonServer::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto ended = std::ranges::find(sessions_, pid, &DaemonSession::pid);
    if (ended == sessions_.end()) continue;
    setup_.log(fmt::format("session '{}' {}", ended->name(), end_text(status)));
    sessions_.erase(ended);
  }
}

bool DaemonServer::config_changed() {
  bool changed = false;
  alignas(inotify_event) char bytes[4096];
  for (ssize_t size = 0; (size = ::read(inotify_.get(), bytes, sizeof bytes)) > 0;) {
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(size);) {
      inotify_event event;
      std::memcpy(&event, bytes + at, sizeof event);
      const std::string_view name = event.len != 0 ? bytes + at + sizeof event : "";
      changed = changed || (event.mask & IN_Q_OVERFLOW) != 0 ||
                std::ranges::any_of(setup_.watched, [&](const std::string& file) {
                  return std::filesystem::path(file).filename() == name;
                });
      at += sizeof event + event.len;
    }
  }
  return changed;
}

void DaemonServer::reconfigure() {
  auto next = setup_.read_plan();
  if (!next) {
    setup_.log(fmt::format("config: {}; the sessions stay as they are", next.error().message));
    return;
  }
  if (next->base != base()) setup_.log(fmt::format("config: base {} counts from the next start on", next->base));
  setup_.plan.sessions = std::move(next->sessions);
  end_sessions([&](const DaemonSession& session) {
    return std::ranges::none_of(setup_.plan.sessions, [&](const SessionPlan& plan) {
      return plan.name == session.name() && plan.run == session.run();
    });
  });
  start_missing();
}

void DaemonServer::answer_client() {
  Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!client) return;
  const std::string question = read_question(client.get());
  const std::size_t space = std::min(question.find(' '), question.size());
  const std::string_view verb = std::string_view(question).substr(0, space);
  const std::string_view name = std::string_view(question).substr(std::min(space + 1, question.size()));
  if (verb == "list") answer_strings(client.get(), list());
  if (verb == "ping") answer_strings(client.get(), ping(name));
  if (verb == "signal") answer_strings(client.get(), signal(name));
  if (verb == "stop") last_client_ = std::move(client);
}

std::vector<std::string> DaemonServer::list() const {
  std::vector<std::string> rows{fmt::format("{}", ::getpid()), "daemon", "", base(), minutes_since(since_)};
  for (const DaemonSession& session : sessions_)
    rows.insert(rows.end(), {fmt::format("{}", session.pid()), session.name(), session.run(), session.folder(),
                             minutes_since(session.since())});
  return rows;
}

std::vector<const DaemonSession*> DaemonServer::chosen(std::string_view name) const {
  std::vector<const DaemonSession*> all;
  for (const DaemonSession& session : sessions_)
    if (is_chosen(session, name)) all.push_back(&session);
  return all;
}

std::vector<bool> DaemonServer::answered(std::span<const DaemonSession* const> asked) {
  constexpr std::chrono::seconds kPatience(2);
  std::vector<bool> answers(asked.size());
  std::vector<pollfd> waiting;
  std::vector<Fd> open;
  for (const DaemonSession* session : asked) {
    auto answer = session->command("ping");
    waiting.push_back({.fd = answer ? answer->get() : -1, .events = POLLIN, .revents = 0});
    if (answer) open.push_back(std::move(*answer));
  }
  const auto until = steady_clock::now() + kPatience;
  while (std::ranges::any_of(waiting, [](const pollfd& one) { return one.fd >= 0; })) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now()).count();
    if (left <= 0 || ::poll(waiting.data(), waiting.size(), static_cast<int>(left)) <= 0) break;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      answers[i] = (waiting[i].revents & POLLIN) != 0;
      waiting[i].fd = -1;
    }
  }
  return answers;
}

std::vector<std::string> DaemonServer::ping(std::string_view name) const {
  const auto asked = chosen(name);
  const auto alive = answered(asked);
  std::vector<std::string> answers;
  for (std::size_t i = 0; i < asked.size(); ++i)
    answers.insert(answers.end(), {asked[i]->name(), alive[i] ? "OK" : "FAIL"});
  return answers;
}

// The kernel makes one of two signals that wait, so that the next must not come before this one was taken: a session
// answers after it has seen its signals.
std::vector<std::string> DaemonServer::signal(std::string_view name) const {
  std::vector<std::string> answers;
  const auto signalled = chosen(name);
  for (const DaemonSession* session : signalled) {
    session->send(SIGUSR2);
    answers.insert(answers.end(), {session->name(), fmt::format("{}", session->pid())});
  }
  (void)answered(signalled);
  return answers;
}

}  // namespace peregrine
