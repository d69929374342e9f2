#!/bin/sh
# MARK
# It sets up a worktree that is added to this clone as the others are. A hook that was here before runs first, and its result counts.
before="${0%/*}/post-checkout.skein-before"
status=0
if [ -x "$before" ]; then
    "$before" "$@"
    status=$?
fi
# Only of a checkout that is new there is no commit before.
case "$1" in
    *[!0]*) ;;
    *) command -v PROGRAM >/dev/null 2>&1 && PROGRAM hook git post-checkout </dev/null >/dev/null 2>&1 ;;
esac
exit "$status"
