#include "session/live/live_wait.h"

#include <poll.h>

#include <cerrno>

#include "base/fd.h"

namespace peregrine {

Result<LiveWake> wait_live(int ended, int keys, int milliseconds) {
  pollfd waited[] = {{ended, POLLIN, 0}, {keys, POLLIN, 0}};
  const int ready = ::poll(waited, 2, milliseconds);
  if (ready < 0 && errno != EINTR) return fail_errno("waiting for a key");
  if (ready > 0 && waited[0].revents != 0) return LiveWake::Ended;
  return ready > 0 ? LiveWake::Key : LiveWake::Timer;
}

}  // namespace peregrine
