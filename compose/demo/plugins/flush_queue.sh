#!/bin/sh
# Event handler: flush_queue.sh FILE STATUS STATETYPE. Runs at each change of state and flushes the queue at a hard
# critical state. Its output is stored in the object's history.
file=$1 status=$2 type=$3
if [ "$status" = CRITICAL ] && [ "$type" = HARD ]; then
  : >"$file.flush"
  echo "the queue is being flushed"
else
  echo "nothing to do for $status, $type"
fi
