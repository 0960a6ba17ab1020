#!/bin/sh
# Stands in for whatever wakes people up: page.sh WHO KIND HOST
echo "$(date -u +%FT%TZ) page $*" >>"${0%/*}/../../../.demo/pages.log"
