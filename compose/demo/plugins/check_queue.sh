#!/bin/sh
# A monitoring plugin in fifteen lines: check_queue.sh FILE WARN CRIT
# FILE holds a number. A plugin prints one line; the part after the | is performance data, the exit code is the status.
file=$1 warn=$2 crit=$3
if ! length=$(cat "$file" 2>/dev/null); then
  echo "QUEUE UNKNOWN - cannot read $file"
  exit 3
fi
word=OK code=0
[ "$length" -ge "$warn" ] && word=WARNING code=1
[ "$length" -ge "$crit" ] && word=CRITICAL code=2
echo "QUEUE $word - $length messages wait | length=$length;$warn;$crit;0"
exit $code
