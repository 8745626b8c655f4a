# shellcheck shell=sh
# Run a command ($2), or the script on standard input when there is none, in the clean checkout $1, with nothing
# in reach of its tools that the agent has written: a new HOME, no variables, and a PATH without the agent's directories.
# Standard input begins with the word that tells that it has passed.
set -e
IFS= read -r word
dir=$1 cmd=$2

# trusted tells whether the agent can't change a directory, nor one above it on the same file system: what is mounted
# can't be moved. An agent that is root can change all that is not mounted read-only; of that, no home and no scratch
# directory counts.
trusted() {
	at=$(cd -P -- "$1" 2>/dev/null && pwd -P) || return 1
	case $at/ in "$agent"/* | *:*) return 1 ;; esac
	while :; do
		[ ! -O "$at" ] || chmod u+w -- "$at" 2>/dev/null || : # its owner could
		if [ -w "$at" ]; then
			[ "$(id -u)" = 0 ] || return 1
			case $at/ in /home/* | /root/* | /tmp/* | /var/* | /dev/* | /run/*) return 1 ;; esac
		fi
		[ "$at" != / ] || return 0
		disk=$(stat -c %d -- "$at") at=$(dirname -- "$at")
		[ "$disk" = "$(stat -c %d -- "$at")" ] || return 0
	done
}
# run runs a command, with the filter of system calls where it needs that.
run() {
	if [ -n "$FILTER" ]; then "$@" 9<"$FILTER"; else "$@"; fi
}
agent=$(cd -P -- "$AGENT" && pwd -P)
path=
set -f
IFS=:
for d in $TOOLS /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do
	case $d in /*) ;; *) continue ;; esac
	case :$path: in *:"$d":*) continue ;; esac
	if trusted "$d"; then path=$path${path:+:}$(cd -P -- "$d" && pwd -P); fi # a link may be changed later
done
unset IFS
set +f

# What a check left that ended this shell too. None takes an hour.
find /tmp -maxdepth 1 -name 'check.*' -user "$(id -u)" -mmin +60 -exec rm -rf -- {} + 2>/dev/null || :
home=$(mktemp -d /tmp/check.XXXXXXXXXX)
trap 'chmod -R u+rwX -- "$home" 2>/dev/null; rm -rf -- "$home"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$home/voyage" "$home/tmp"
mv -- "$dir" "$home/voyage/workspace"
cd "$home/voyage/workspace"
[ -n "$cmd" ] || cat >"$home/verify.sh"

# Where the ship is behind a wall already, the check gets another one: neither the agent's home is there nor what lies
# about in directories for all, where tools look for settings. On other ships a check may want to be root, which none
# behind a wall can.
set --
if [ -n "$FILTER" ] || grep -qs '^NoNewPrivs:.*1' /proc/self/status; then
	set -- /usr/bin/bwrap --unshare-user --die-with-parent --dev-bind / /
	for d in /tmp /var/tmp /dev/shm "$agent"; do set -- "$@" --perms 1777 --size 1073741824 --tmpfs "$d"; done
	history=voyage/workspace/.git/objects/info/alternates
	if [ -f "$home/$history" ]; then
		while IFS= read -r d; do set -- "$@" --ro-bind-try "$d" "$d"; done <"$home/$history"
	fi
	set -- "$@" --bind "$home" "$home"
	# What keeps the agent from walls of its own keeps the check from them behind these.
	[ -z "$FILTER" ] || set -- "$@" --seccomp 9
	set -- "$@" --
	if ! run "$@" true </dev/null 2>/dev/null; then
		[ -z "$FILTER" ] || { echo "the walls of this check cannot be made" && exit 1; }
		set --
	fi
fi
user=$(id -un 2>/dev/null || id -u)
set -- "$@" /usr/bin/env -i HOME="$home" PATH="$path" TMPDIR="$home/tmp" USER="$user" LOGNAME="$user" SHELL=/bin/sh LANG=C.UTF-8 TERM=dumb
code=0
if [ -z "$cmd" ]; then
	run "$@" bash --noprofile --norc "$home/verify.sh" </dev/null 2>&1 || code=$?
else
	run "$@" sh -c "$cmd" </dev/null 2>&1 || code=$?
fi
[ "$code" != 0 ] || printf %s "$word"
exit "$code"
