#!/bin/sh
# check_disk.sh FOLDER WARN CRIT: usage of the file system of FOLDER, in percent.
folder=$1 warn=$2 crit=$3
used=$(df -P "$folder" 2>/dev/null | awk 'NR == 2 { sub("%", "", $5); print $5 }')
if [ -z "$used" ]; then
  echo "DISK UNKNOWN - $folder does not exist"
  exit 3
fi
word=OK code=0
[ "$used" -ge "$warn" ] && word=WARNING code=1
[ "$used" -ge "$crit" ] && word=CRITICAL code=2
echo "DISK $word - $used % used | used=$used%;$warn;$crit;0;100"
exit $code
