"""Packets received and sent: when, and how long each was on its way. netdev-times [dev=NAME] [rx] [tx]"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Util import nsecs

words = sys.argv[1:]
unknown = [word for word in words if word not in ("rx", "tx", "debug") and not word.startswith("dev=")]
if unknown:
    sys.exit("netdev-times: unknown argument '%s' (expected dev=NAME, rx or tx)" % unknown[0])
device = next((word[4:] for word in words if word.startswith("dev=")), None)
show_rx, show_tx = "rx" in words or "tx" not in words, "tx" in words or "rx" not in words
queued = {}    # packet → when, device, length
sent = {}      # packet → time queued, time handed over, device, length
rows = []      # finished: (time, text)
received = transmitted = 0


def wanted(name):
    return device is None or name == device


def net__netif_receive_skb(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                           common_callchain, skbaddr, len, name):
    global received
    if wanted(name):
        received += 1
        if show_rx:
            print("rx %14.6f  %-12s %6d bytes  cpu %d" % (nsecs(common_secs, common_nsecs) / 1e9, name, len, common_cpu))


def net__net_dev_queue(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                       common_callchain, skbaddr, len, name):
    if wanted(name):
        queued[skbaddr] = (nsecs(common_secs, common_nsecs), name, len)


def net__net_dev_xmit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                      common_callchain, skbaddr, len, rc, name):
    global transmitted
    if rc != 0 or not wanted(name):
        return
    now = nsecs(common_secs, common_nsecs)
    transmitted += 1
    start = queued.pop(skbaddr, (now, name, len))[0]
    sent[skbaddr] = (start, now, name, len)
    if show_tx:
        print("tx %14.6f  %-12s %6d bytes  queued for %.3f us" % (now / 1e9, name, len, (now - start) / 1e3))


def freed(secs, ns, skbaddr):
    if skbaddr in sent:
        start, handed, name, length = sent.pop(skbaddr)
        rows.append((nsecs(secs, ns) - handed) / 1e3)


def skb__kfree_skb(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                   common_callchain, skbaddr, *more):
    freed(common_secs, common_nsecs, skbaddr)


def skb__consume_skb(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                     common_callchain, skbaddr, *more):
    freed(common_secs, common_nsecs, skbaddr)


def trace_end():
    if rows:
        print("freed after %.3f us on average, %.3f us at most" % (sum(rows) / len(rows), max(rows)))
    print("total %d received, %d sent" % (received, transmitted))
