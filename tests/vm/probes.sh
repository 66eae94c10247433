# Runs inside the VM: kernel probes by both programs; arguments from BTF, which linux-perf does not support.
export PERF_PAGER=cat PAGER=cat LC_ALL=C
mount -t debugfs d /sys/kernel/debug 2>/dev/null
events=/sys/kernel/tracing/kprobe_events
verdict() { if [ "$2" = 0 ]; then echo "ok vm/probe/$1"; else echo "not ok vm/probe/$1: $3"; fi; }
# shows NAME PATTERN EVENT-WORDS…: a recording with that probe has a matching line.
shows() {
  name=$1 pattern=$2; shift 2
  peregrine probe -q "t:e=$1" 2>err.txt || { verdict "$name" 1 "$(tr '\n' ' ' <err.txt)"; return; }
  event=$(sed 's/^[pr][0-9]*:\([^ ]*\) .*/\1/; s|/|:|' $events | head -1)
  peregrine record -q -a -e $event -o p.data -- cat /etc/motd >/dev/null 2>err.txt
  peregrine script -i p.data -F comm,event,trace >out.txt 2>>err.txt
  grep -qE "$pattern" out.txt
  verdict "$name" $? "$(head -2 out.txt err.txt | tr '\n' ' ')"
  peregrine probe -q -d $event
}
echo hello >/etc/motd
shows entry 't:e' vfs_read
shows arguments 't:e: .*count=(0x)?[0-9a-f]+' 'vfs_read file count'
shows string 'pathname="/etc/motd"' 'do_sys_openat2 dfd pathname=filename:ustring'
shows members 'name="motd"' 'vfs_open path->dentry->d_name.name:string'
shows cast 'name="motd"' 'vfs_open (struct path *)path->dentry->d_name.name:string'
shows parameters 'filename=' 'do_sys_openat2 $params'
shows return 't:e__return: .*ret=[0-9-]+' 'vfs_read%return ret=$retval:s64'
shows offset 't:e' 'vfs_read+0'
shows registers 'arg1=' 'vfs_read %di %si'
shows comm 'who="[a-z]+"' 'vfs_read who=$comm:string'

for words in 'vfs_read' 'vfs_read%return' 'vfs_read %di %si:u32' 'vfs_read%return $retval' 'ev=vfs_read' 'g:ev=vfs_read%return r=$retval'; do
  peregrine probe -q "$words" 2>err.txt && cp $events ours.txt && echo >$events
  perf probe -q "$words" 2>/dev/null && cp $events theirs.txt && echo >$events
  sed 's/ _text+/ /' theirs.txt >/dev/null
  # The kernel describes both identically, except for the name of the place.
  if [ "$(awk '{$2=""; print}' ours.txt)" = "$(awk '{$2=""; print}' theirs.txt)" ]; then verdict "same-$words" 0
  else verdict "same-$words" 1 "$(cat ours.txt theirs.txt err.txt | tr '\n' ' ')"; fi
done

peregrine probe -q vfs_read && peregrine probe -q 'vfs_write%return' && peregrine probe -l >out.txt 2>&1
grep -q 'probe:vfs_read .*(on vfs_read' out.txt && grep -q 'probe:vfs_write__return .*(on vfs_write%return' out.txt
verdict list $? "$(tr '\n' ' ' <out.txt)"
peregrine probe vfs_read 2>err.txt; grep -q 'already exists' err.txt; verdict exists $? "$(cat err.txt)"
peregrine probe -d 'probe:*' >/dev/null 2>&1; [ ! -s $events ]; verdict remove $? "$(cat $events)"
peregrine probe vfs_raed 2>err.txt; grep -q 'vfs_read' err.txt; verdict nearest $? "$(cat err.txt)"
peregrine probe 'vfs_read cuont' 2>err.txt; grep -q 'count' err.txt; verdict nearest-argument $? "$(cat err.txt)"
forbidden=$(awk '{print $2; exit}' /sys/kernel/debug/kprobes/blacklist)
peregrine probe "$forbidden" 2>err.txt; grep -q 'blacklist' err.txt; verdict "blacklist" $? "$forbidden $(cat err.txt)"
peregrine probe vfs_read:3 2>err.txt; grep -q 'file has no debug information' err.txt; verdict no-lines $? "$(cat err.txt)"
peregrine probe -V vfs_read >out.txt 2>&1; grep -q 'struct file\*.*file' out.txt; verdict variables $? "$(tr '\n' ' ' <out.txt)"
peregrine probe -F 'vfs_rea*' >ours.txt 2>err.txt; grep -qx vfs_read ours.txt; verdict functions $? "$(head -3 ours.txt err.txt | tr '\n' ' ')"
peregrine record -q --probe 't:k=vfs_read count' -a -o p.data -- cat /etc/motd >/dev/null 2>err.txt
peregrine script -i p.data -F comm,event,trace 2>&1 | grep -q 't:k: .*count='; verdict record $? "$(cat err.txt)"
[ ! -s $events ]; verdict record-removes $? "$(cat $events)"
