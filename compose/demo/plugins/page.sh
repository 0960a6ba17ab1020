#!/bin/sh
# Stands in for whatever wakes people up: page.sh FILE WHO KIND OBJECT OUTPUT
file=$1
shift
echo "$(date -u +%T) $*" >>"$file"
