# Runs inside a VM with busybox and the recorder, and no library: it records, streams, counts and traces.
export PERF_PAGER=cat PAGER=cat LC_ALL=C
ok() { echo "ok vm/recorder/$1"; }
bad() { echo "not ok vm/recorder/$1: $(echo "$2" | tr '\n:' '~;' | cut -c1-300)"; }
has() { grep -q "$2" "$3" && ok "$1" || bad "$1" "$(cat "$3")"; }

libraries=$(find / -xdev -name '*.so*' 2>/dev/null)
[ -z "$libraries" ] && ok no_libraries || bad no_libraries "$libraries"
peregrine check >out 2>&1; has check 'Recording and counting' out
peregrine record -a -g -e cpu-clock -o perf.data -- sleep 1 >out 2>&1; has record 'samples)' out
peregrine script -i perf.data >out 2>&1; has script 'cpu-clock' out
peregrine record -a -e cpu-clock -o - -- sleep 1 2>err | peregrine script -i - >out 2>&1; has pipe 'cpu-clock' out
peregrine stat -e task-clock -- sleep 1 >out 2>&1; has stat 'msec task-clock' out
peregrine trace -e write -- echo hello >out 2>&1; has trace 'write(fd: 1' out
peregrine record -e sched:sched_switch -a -o switches.data -- sleep 1 >out 2>&1; has tracepoints 'samples)' out
timeout -s INT 3 peregrine top --stdio -d 1 -e cpu-clock >out 2>&1 </dev/null; has top 'PerfTop' out
before=$(cut -d' ' -f1 /proc/uptime); for i in 1 2 3 4 5 6 7 8 9 10; do peregrine --version >/dev/null; done
echo "# ten starts from uptime $before to $(cut -d' ' -f1 /proc/uptime) s"
