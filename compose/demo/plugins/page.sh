#!/bin/sh
# Stands in for a pager program: page.sh FILE CONTACT KIND OBJECT OUTPUT
file=$1
shift
echo "$(date -u +%T) $*" >>"$file"
