# ftrace on a kernel that has the function tracers: what it shows, and that it leaves nothing behind. Runs inside the VM.
t=/sys/kernel/tracing
ours() { timeout 20 /usr/bin/peregrine "$@"; }
check() { # CASE PATTERN COMMAND…
  name=$1 pattern=$2
  shift 2
  "$@" >out 2>err </dev/null
  if grep -qE -e "$pattern" out err; then echo "ok ftrace/$name"; else echo "not ok ftrace/$name: no line '$pattern'"; head -12 out; head -5 err; fi
}
state() { cat $t/current_tracer $t/tracing_on $t/set_ftrace_filter $t/set_graph_function $t/set_ftrace_pid $t/max_graph_depth \
  $t/tracing_thresh $t/tracing_cpumask $t/options/funcgraph-tail $t/events/sched/sched_switch/enable; ls $t/instances; }
# not the defaults: what somebody else has set must come back
echo 1 > $t/tracing_on
echo vfs_open > $t/set_ftrace_filter
echo 7 > $t/max_graph_depth
state > before
check functions '^vfs_read$' ours ftrace -F 'vfs_re*'
check function ': vfs_read <-' ours ftrace -T vfs_read -- dd if=/proc/version of=/dev/null
check function-header 'TASK-PID' ours ftrace -T vfs_read -- dd if=/proc/version of=/dev/null
check function-glob ': vfs_(read|open) <-' ours ftrace -T 'vfs_*' -- dd if=/proc/version of=/dev/null
check stack '=> ksys_read' ours ftrace -T vfs_read --func-opts call-graph -- dd if=/proc/version of=/dev/null
check graph '\| +vfs_read\(\) \{' ours ftrace -G vfs_read -- dd if=/proc/version of=/dev/null
ours ftrace -G vfs_read --graph-opts depth=1 -- dd if=/proc/version of=/dev/null >out 2>&1
if grep -q 'vfs_read();' out && ! grep -q 'seq_read' out; then echo "ok ftrace/depth"; else echo "not ok ftrace/depth"; head out; fi
ours ftrace -T vfs_read -- dd if=/proc/version of=/dev/null >out 2>&1
# The command's process bears our name until it becomes the command.
others=$(sed -n 's/^ *\([^ ]*\)-[0-9]* .*/\1/p' out | grep -vE '^(<\.\.\.>|dd|peregrine)$' | sort -u)
if grep -q ' dd-[0-9]* .*: vfs_read <-' out && [ -z "$others" ]; then echo "ok ftrace/only-the-command"
else echo "not ok ftrace/only-the-command: $others"; grep -v '^#' out | head; fi
check event 'sched_switch:' ours ftrace -T vfs_read -e sched:sched_switch -a -- sleep 0.2
check all-cpus '\[00[01]\]' ours ftrace -T vfs_read -a -- sleep 0.2
check one-cpu '\[001\]' ours ftrace -T schedule -C 1 -- sleep 0.3
ours ftrace -T schedule -C 1 -- sleep 0.3 >out 2>&1
if grep -q '\[000\]' out; then echo "not ok ftrace/no-other-cpu"; else echo "ok ftrace/no-other-cpu"; fi
ours ftrace -T 'vfs_*' -N vfs_read -- dd if=/proc/version of=/dev/null >out 2>&1
if grep -q ': vfs_[a-z]* <-' out && ! grep -q ': vfs_read <-' out; then echo "ok ftrace/all-but"; else echo "not ok ftrace/all-but"; head out; fi
# Readers that rest: an emulated CPU that traces a busy loop does nothing else.
reads() { while :; do read -r _ </proc/version; sleep 0.02; done; }
reads & reader=$!
reads & other=$!
ours ftrace -T vfs_read -p $reader -- sleep 0.3 >out 2>&1
if grep -q -e "-$reader .*: vfs_read <-" out && ! grep -v "^#" out | grep -qv -e "-$reader "; then echo "ok ftrace/one-process"
else echo "not ok ftrace/one-process: $reader, not $other"; grep -v -e "-$reader " out | head; fi
kill $reader $other
check latency '[1-9][0-9]* \| #+' ours ftrace latency -T vfs_read -a -- dd if=/proc/version of=/dev/null
check latency-ns ' ns \|' ours ftrace latency -n -T vfs_read -a -- dd if=/proc/version of=/dev/null
check profile ' vfs_read$' ours ftrace profile -T 'vfs_*' -a -- dd if=/proc/version of=/dev/null
check unknown 'no function that can be traced matches vfs_raed' ours ftrace -T vfs_raed -- true
check unknown-near 'vfs_read' ours ftrace -T vfs_raed -- true
check unknown-tracer 'no tracer hwlat' ours ftrace -t hwlat -- true
state > after
if cmp -s before after; then echo "ok ftrace/restored"; else echo "not ok ftrace/restored"; diff before after; fi
/usr/bin/peregrine ftrace -G vfs_read -a -- sleep 30 >/dev/null 2>&1 &
sleep 1; grep -q function_graph $t/current_tracer || echo "not ok ftrace/kill: it never ran"
kill -9 $!
for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; state > after; cmp -s before after && break; done
if cmp -s before after; then echo "ok ftrace/restored-after-kill"; else echo "not ok ftrace/restored-after-kill"; diff before after; fi
/usr/bin/peregrine ftrace -T vfs_read -a -- sleep 30 >/dev/null 2>&1 &
sleep 1; kill -9 $!
for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; [ -z "$(ls $t/instances)" ] && break; done
if [ -z "$(ls $t/instances)" ]; then echo "ok ftrace/instance-removed"; else echo "not ok ftrace/instance-removed"; ls $t/instances; fi
