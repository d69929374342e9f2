#!/bin/sh
# MARK
# It records merges with Skein. A hook that was here before runs first, and its result counts.
before="${0%/*}/post-merge.skein-before"
status=0
if [ -x "$before" ]; then
    "$before" "$@"
    status=$?
fi
command -v PROGRAM >/dev/null 2>&1 && PROGRAM hook git post-merge </dev/null >/dev/null 2>&1
exit "$status"
