#!/bin/sh
# An event handler: flush_queue.sh FILE STATUS STATETYPE. Runs at each change; acts once the queue is critical for good.
# What it prints is in the object's history.
file=$1 status=$2 type=$3
if [ "$status" = CRITICAL ] && [ "$type" = HARD ]; then
  : >"$file.flush"
  echo "the queue is being worked off by force"
else
  echo "nothing to do for $status, $type"
fi
