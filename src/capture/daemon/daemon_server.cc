#include "capture/daemon/daemon_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/daemon/session.h"

namespace peregrine {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostClients = 32;

std::string minutes_since(steady_clock::time_point when) {
  return fmt::format("{}", std::chrono::duration_cast<std::chrono::minutes>(steady_clock::now() - when).count());
}

// Closing the descriptor removes it from the epoll set.
void add_notice(const Fd& notices, int fd, u32 events, int operation = EPOLL_CTL_ADD) {
  epoll_event event{.events = events, .data = {.fd = fd}};
  ::epoll_ctl(notices.get(), operation, fd, &event);
}

// A session writes its answer and "ack" at once.
std::string answer_before_ack(const Fd& answers) {
  char text[512];
  const ssize_t size = ::read(answers.get(), text, sizeof text);
  const std::string_view read(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::string_view line = read.substr(0, read.find('\n'));
  return line == "ack" ? std::string() : std::string(line);
}

}  // namespace

Result<DaemonServer> DaemonServer::open(DaemonSetup setup) {
  auto watch = Watch::open({SIGCHLD, SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  DaemonServer server(std::move(setup), std::move(*watch));
  auto folder = open_base_folder(server.base());
  if (!folder) return std::unexpected(std::move(folder.error()));
  server.folder_ = std::move(*folder);
  PEREGRINE_TRY(judge_folder(server.folder(), server.base()));
  PEREGRINE_TRY(server.lock());
  auto listener = listen_as_daemon(server.folder(), server.base() + "/control", server.socket_);
  if (!listener) return std::unexpected(std::move(listener.error()));
  server.listener_ = std::move(*listener);
  PEREGRINE_TRY(server.watch_files());
  return server;
}

// The kernel releases the lock of a killed daemon, and the next daemon overwrites the pid in the file.
Result<> DaemonServer::lock() {
  const std::string path = base() + "/lock";
  for (;;) {
    auto file = open_private_file(folder(), "lock", O_RDWR, path);
    if (!file) return std::unexpected(std::move(file.error()));
    if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return fail_errno(path);
      const auto owner = read_all(file->get(), path, 64);
      return fail(ErrorKind::Unsupported, "another daemon (pid {}) owns {}", owner ? *owner : "?", base());
    }
    struct stat status{};
    if (::fstat(file->get(), &status) != 0) return fail_errno(path);
    if (status.st_nlink == 0) continue;  // a failed start has just removed it
    lock_ = std::move(*file);
    if (status.st_size == 0) unused_lock_ = OwnedName(folder(), "lock");
    return {};
  }
}

// Watches the folders, since an editor may replace a file instead of writing to it.
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

Result<> DaemonServer::write_pid() {
  const std::string pid = fmt::format("{}", ::getpid());
  if (::ftruncate(lock_.get(), 0) != 0) return fail_errno(base() + "/lock");
  PEREGRINE_TRY(pwrite_all(lock_.get(), pid.data(), pid.size(), 0, base() + "/lock"));
  unused_lock_.release();
  setup_.log(fmt::format("daemon started (pid {})", pid));
  return {};
}

Result<> DaemonServer::run() {
  auto served = guarded([this] { return serve(); });
  auto ended = guarded([this]() -> Result<> {
    end_sessions([](const KeptSession&) { return true; });
    return {};
  });
  socket_.remove();
  setup_.log("daemon exited");
  unused_lock_.remove();
  lock_.reset();
  last_client_.reset();  // closing tells the client that the daemon has ended
  return served ? ended : served;
}

Result<> DaemonServer::serve() {
  PEREGRINE_TRY(write_pid());
  notices_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!notices_) return fail_errno("epoll");
  add_notice(notices_, inotify_.get(), EPOLLIN);
  watch_.set_control(listener_.get());
  watch_.set_notice(notices_.get());
  add_missing();
  while (!last_client_) {
    start_due();
    go_on_accepting();
    const auto seen = watch_.wait(until_due());
    if (!seen) return std::unexpected(seen.error());
    reap(true);
    if (std::ranges::any_of(seen->signals, [](int number) { return number != SIGCHLD; })) break;
    drain();
    if (seen->noticed && config_changed()) reconfigure();
    if (seen->steered) accept_clients();
    serve_clients();
  }
  return {};
}

// Time until the next session start or client deadline; negative if nothing is due.
milliseconds DaemonServer::until_due() const {
  std::optional<steady_clock::time_point> first;
  const auto add = [&](steady_clock::time_point when) { first = first ? std::min(*first, when) : when; };
  for (const KeptSession& session : sessions_)
    if (const auto when = session.start_at()) add(*when);
  for (const DaemonClient& client : clients_) add(client.deadline());
  if (accepts_at_) add(*accepts_at_);
  if (!first) return milliseconds(-1);
  return std::max(std::chrono::ceil<milliseconds>(*first - steady_clock::now()), milliseconds(0));
}

void DaemonServer::add_missing() {
  for (const SessionPlan& plan : setup_.plan.sessions)
    if (std::ranges::find(sessions_, plan.name, &KeptSession::name) == sessions_.end()) sessions_.emplace_back(plan);
}

void DaemonServer::start_due() {
  const DaemonPlace place{
      .folder = folder(), .path = base(), .program = setup_.program, .mask = watch_.previous_mask()};
  for (KeptSession& session : sessions_) {
    if (!session.is_due()) continue;
    if (setup_.keep_remnant) {
      const std::string kept = setup_.keep_remnant(session.plan(), folder_of(session));
      if (!kept.empty()) setup_.log(kept);
    }
    setup_.log(session.start(place));
    if (session.running() != nullptr) add_notice(notices_, session.running()->output_fd(), EPOLLIN);
  }
}

void DaemonServer::drain() {
  for (KeptSession& session : sessions_)
    if (session.running() != nullptr) session.running()->drain();
}

// Asks the sessions to stop through their fifos first, as if their commands had ended. Slow ones get a signal, then
// SIGKILL.
void DaemonServer::end_sessions(const Choice& leaves) {
  constexpr std::chrono::seconds kAsked(4), kTold(10);
  const auto begin = steady_clock::now();
  const auto is_left = [&](const KeptSession& session) { return session.running() != nullptr && leaves(session); };
  const auto send = [&](int number) {
    for (const KeptSession& session : sessions_)
      if (is_left(session)) session.running()->send(number);
  };
  for (const KeptSession& session : sessions_)
    if (is_left(session) && !session.running()->command("stop")) session.running()->send(SIGTERM);
  int sent = 0;
  while (std::ranges::any_of(sessions_, is_left)) {
    const auto waited = steady_clock::now() - begin;
    const int due = waited > kTold ? SIGKILL : waited > kAsked ? SIGTERM : 0;
    if (due != sent) send(due);
    sent = due;
    ::poll(nullptr, 0, 5);
    drain();
    reap(false);
  }
  std::erase_if(sessions_, leaves);
}

void DaemonServer::reap(bool is_wanted) {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto ended = std::ranges::find_if(sessions_, [&](const KeptSession& session) {
      return session.running() != nullptr && session.running()->pid() == pid;
    });
    if (ended != sessions_.end()) setup_.log(ended->end(status, is_wanted));
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
    setup_.log(fmt::format("config: {}; sessions are unchanged", next.error().message));
    return;
  }
  if (next->base != base()) setup_.log(fmt::format("config: base {} takes effect at the next start", next->base));
  setup_.plan.sessions = std::move(next->sessions);
  end_sessions([&](const KeptSession& session) {
    return std::ranges::none_of(setup_.plan.sessions, [&](const SessionPlan& plan) {
      return plan.name == session.name() && plan.run == session.plan().run;
    });
  });
  for (KeptSession& session : sessions_) session.revive();
  add_missing();
}

void DaemonServer::accept_clients() {
  while (clients_.size() < kMostClients) {
    auto client = DaemonClient::accept(listener_.get());
    if (!client && spare_) {
      spare_.reset();
      continue;
    }
    if (!client) return pause_accepting();
    if (!*client) return;
    add_notice(notices_, (*client)->fd(), EPOLLIN);
    clients_.push_back(std::move(**client));
  }
  pause_accepting();  // too many connections: the newest wait in the listener's queue, because none of the others ends
}

// A client that is not accepted keeps the listener readable: without a pause, the loop would spin.
void DaemonServer::pause_accepting() {
  constexpr milliseconds kPause(200);
  accepts_at_ = steady_clock::now() + kPause;
  watch_.set_control(-1);
}

void DaemonServer::go_on_accepting() {
  if (!spare_ && clients_.empty()) spare_ = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!accepts_at_ || *accepts_at_ > steady_clock::now()) return;
  accepts_at_.reset();
  watch_.set_control(listener_.get());
}

void DaemonServer::serve_clients() {
  std::erase_if(clients_, [&](DaemonClient& client) {
    if (!client.go_on()) return true;
    const auto question = client.take_question();
    if (!question) return false;
    if (*question == "stop") {
      last_client_ = std::move(client);
      return true;
    }
    answer(client, *question);
    if (!client.go_on()) return true;
    add_notice(notices_, client.fd(), EPOLLOUT, EPOLL_CTL_MOD);
    return false;
  });
}

void DaemonServer::answer(DaemonClient& client, std::string_view question) {
  const std::size_t space = std::min(question.find(' '), question.size());
  const std::string_view verb = question.substr(0, space);
  const std::string_view name = question.substr(std::min(space + 1, question.size()));
  if (verb == "list") return client.answer(list(name == "status"));
  if (verb == "ping") return client.answer(ping(name));
  if (verb == "signal") return client.answer(signal(name));
  client.answer({});
}

std::vector<std::string> DaemonServer::list(bool asks) {
  const auto asked = chosen({});
  const auto states = asks ? ask(asked, "status") : std::vector<std::optional<std::string>>(asked.size());
  std::vector<std::string> rows{fmt::format("{}", ::getpid()), "daemon",  "", base(),
                                minutes_since(since_),         "running", "0"};
  for (KeptSession& session : sessions_) {
    const DaemonSession* running = session.running();
    const auto at = static_cast<std::size_t>(std::ranges::find(asked, &session) - asked.begin());
    const bool told = at < states.size() && states[at] && !states[at]->empty();
    rows.insert(rows.end(),
                {running != nullptr ? fmt::format("{}", running->pid()) : "-", session.name(), session.plan().run,
                 folder_of(session), running != nullptr ? minutes_since(running->since()) : "0",
                 told ? *states[at] : session.state(), fmt::format("{}", session.restarts())});
  }
  return rows;
}

std::vector<KeptSession*> DaemonServer::chosen(std::string_view name) {
  std::vector<KeptSession*> all;
  for (KeptSession& session : sessions_)
    if (session.running() != nullptr && (name.empty() || session.name() == name)) all.push_back(&session);
  return all;
}

std::vector<std::optional<std::string>> DaemonServer::ask(std::span<KeptSession* const> asked,
                                                          std::string_view command) {
  constexpr std::chrono::seconds kPatience(2);
  constexpr int kInterval = 50;  // ms; retries sessions with a full pipe or just started
  std::vector<std::optional<std::string>> answers(asked.size());
  std::vector<std::optional<Fd>> open(asked.size());
  std::vector<pollfd> waiting(asked.size(), {.fd = -1, .events = POLLIN, .revents = 0});
  std::size_t left = asked.size();
  const auto until = steady_clock::now() + kPatience;
  while (left > 0 && steady_clock::now() < until) {
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (open[i]) continue;
      open[i] = asked[i]->running()->command(command);
      waiting[i].fd = open[i] ? open[i]->get() : -1;
    }
    if (::poll(waiting.data(), waiting.size(), kInterval) < 0) break;
    drain();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      if ((waiting[i].revents & POLLIN) != 0) answers[i] = answer_before_ack(*open[i]);
      waiting[i].fd = -1;
      --left;
    }
  }
  return answers;
}

std::vector<std::string> DaemonServer::ping(std::string_view name) {
  const auto asked = chosen(name);
  const auto alive = ask(asked, "ping");
  std::vector<std::string> answers;
  for (std::size_t i = 0; i < asked.size(); ++i)
    answers.insert(answers.end(), {asked[i]->name(), alive[i] ? "OK" : "FAIL"});
  return answers;
}

// The kernel merges pending signals, so the next one must not arrive before this one is handled. A session answers a
// ping only after it has handled its signals.
std::vector<std::string> DaemonServer::signal(std::string_view name) {
  std::vector<std::string> answers;
  const auto signalled = chosen(name);
  for (const KeptSession* session : signalled) {
    session->running()->send(SIGUSR2);
    answers.insert(answers.end(), {session->name(), fmt::format("{}", session->running()->pid())});
  }
  static_cast<void>(ask(signalled, "ping"));
  return answers;
}

}  // namespace peregrine
