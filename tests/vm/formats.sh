# The formats of all events of this kernel, compressed, as text. Runs inside the VM.
cd /sys/kernel/tracing/events || exit 1
grep -r '' header_page header_event */*/format | gzip | base64
