# Changes during a recording: CPUs, modules, the time of day. Runs inside the VM (endurance).
ours() { timeout 120 /usr/bin/peregrine "$@"; }
ok() { echo "ok vm-endurance/$1"; }
not_ok() { echo "not ok vm-endurance/$1: $2"; tail -5 err 2>/dev/null; }
storm_record() { # OPTIONS…: a storm of 200 threads a second is recorded into the files that the options say
  ours record -a -m 1M -k mono -e syscalls:sys_enter_close --filter 'fd >= 100000000' -c 1 "$@" -- storm 200 0 100000000 log >out 2>err </dev/null &
  recorder=$!
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do [ -s log ] && break; sleep 1; done
}
finish() { killall -TERM storm; wait $recorder; code=$?; }
# account NAME FILE…: calls of the storm = samples in the files + those reported as lost
account() {
  name=$1; shift
  made=$(tail -n 1 log | cut -d' ' -f2)
  sums=$(count_records "$@" 2>&1) || { not_ok "$name" "$sums"; return; }
  set -- $sums
  if [ "$made" -gt 0 ] && [ "$made" = $(($2 + ${10})) ]; then ok "$name"; else not_ok "$name" "$made calls: $sums"; fi
}
readable() { if ours script -F time -i "$2" >out 2>err && [ -s out ]; then ok "$1"; else not_ok "$1" "$(tail -n 1 err)"; fi; }

cpu1=/sys/devices/system/cpu/cpu1/online
if [ -w $cpu1 ]; then
  storm_record -o unplugged
  sleep 2; echo 0 >$cpu1; sleep 3
  finish
  account cpu-that-goes unplugged
  readable cpu-that-goes/readable unplugged
  echo 1 >$cpu1
  storm_record -o replugged
  for _ in 1 2 3; do sleep 1; echo 0 >$cpu1; sleep 1; echo 1 >$cpu1; done
  sleep 1; finish
  readable cpus-that-come-and-go/readable replugged
  # Whatever disappears with an absent CPU shows in no later command.
  ours stat -a -e cpu-clock -o counted -- sleep 1 2>err && grep -q cpu-clock counted && ok cpus-are-back || not_ok cpus-are-back "$(tail -n 1 err)"
else
  echo "skip vm-endurance/cpu-that-goes: CPU 1 cannot be taken away"
fi

if [ -s /usr/bin/dummy.ko ] && insmod /usr/bin/dummy.ko 2>err; then
  rmmod dummy
  ours record -a -e module:module_load,module:module_free,cpu-clock -o modules -- sleep 8 >out 2>err & recorder=$!
  sleep 3
  for _ in 1 2 3 4 5; do insmod /usr/bin/dummy.ko; rmmod dummy; done
  wait $recorder
  ours script -F event -i modules >out 2>err
  loads=$(grep -c module:module_load out) frees=$(grep -c module:module_free out)
  if [ "$loads" = 5 ] && [ "$frees" = 5 ]; then ok module-that-goes; else not_ok module-that-goes "$loads loads and $frees ends of five"; fi
  if ours report --stdio -i modules >out 2>err; then ok module-that-goes/readable; else not_ok module-that-goes/readable "$(tail -n 1 err)"; fi
else
  echo "skip vm-endurance/module-that-goes: no module can be loaded: $(tail -n 1 err)"
fi

storm_record -o steps --switch-output=1s
for step in 3600 -7200 3600 86400 -86400; do sleep 2; date -s "@$(($(date +%s) + step))" >/dev/null; done
sleep 2; finish
files=$(ls steps.*)
account clock-that-is-set $files
if [ $(echo "$files" | wc -l) -ge 6 ]; then ok clock-that-is-set/files; else not_ok clock-that-is-set/files "$(ls steps*)"; fi
rm -f log
ours stat -a -I 500 -e cpu-clock -o intervals -- sleep 4 2>err & counter=$!
sleep 1; date -s "@$(($(date +%s) + 5000))" >/dev/null; sleep 1; date -s "@$(($(date +%s) - 5000))" >/dev/null
wait $counter
times=$(awk '$1 + 0 > 0 {print $1}' intervals)
if [ $(echo "$times" | wc -l) -ge 7 ] && [ "$times" = "$(echo "$times" | sort -n)" ]; then ok intervals-while-the-clock-is-set
else not_ok intervals-while-the-clock-is-set "$times"; fi
exit 0
