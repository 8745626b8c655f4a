# shellcheck shell=sh
# Run a command ($2), or the script on standard input when there is none, in the clean checkout $1, behind walls: the check reaches no
# process, socket or file of the ship but what $3 lists, and that to be read. It has a new HOME, no variables, and a PATH without the
# agent's directories. Without a checkout, tell what the walls leave open. No other check has the name $4.
# Standard input begins with the word that tells that the check has passed.
set -e
umask 022
IFS= read -r word
dir=$1 cmd=$2 shown=$3 room=/tmp/check.$4
nl='
'

# trusted tells whether the agent can't change a directory, nor one above it on the same file system: what is mounted
# can't be moved. An agent that is root can change all that is not mounted read-only; of that, no home and no scratch
# directory counts.
trusted() {
	at=$1 below=''
	case $at/ in "$agent"/* | *:*) return 1 ;; esac
	while :; do
		case $sound in *":$at:"*) break ;; esac
		below=$below$at:
		[ -w "$at" ] || [ ! -O "$at" ] || chmod u+w -- "$at" 2>/dev/null || : # its owner could
		if [ -w "$at" ]; then
			[ "$uid" = 0 ] || return 1
			case $at/ in /home/* | /root/* | /tmp/* | /var/* | /dev/* | /run/*) return 1 ;; esac
		fi
		[ "$at" != / ] || break
		disk "$at"
		mounted=$disk at=${at%/*}
		at=${at:-/}
		disk "$at"
		[ -n "$mounted" ] && [ -n "$disk" ] || return 1
		[ "$mounted" = "$disk" ] || break
	done
	sound=$sound$below
}
# disk tells which file system a directory is on, of those that $disks lists: names and numbers, a line each.
disk() {
	disk=${disks#*"$nl$1$nl"}
	[ "$disk" != "$disks" ] || disk=$nl
	disk=${disk%%"$nl"*}
}
uid='' gid=''
[ ! -r /proc/self/status ] || while read -r key _ id _; do
	case $key in Uid:) uid=$id ;; Gid:) gid=$id && break ;; esac
done </proc/self/status
[ -n "$gid" ] || uid=$(id -u) gid=$(id -g)
here=$PWD
cd -P -- "$AGENT"
agent=$PWD path='' seen='' sound=: dirs=''
set -f
IFS=:
for d in $TOOLS /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do
	case $d in /*) ;; *) continue ;; esac
	case :$seen: in *:"$d":*) continue ;; esac
	seen=$seen:$d
	cd -P -- "$d" 2>/dev/null || continue
	d=$PWD # a link may be changed later
	case $d in *:* | *"$nl"*) continue ;; esac
	dirs=$dirs${dirs:+:}$d
done
set --
for d in $dirs; do
	while [ "$d" != / ]; do
		set -- "$@" "$d"
		d=${d%/*}
		d=${d:-/}
	done
done
disks=$nl$(stat -c "%n$nl%d" -- / "$@")$nl || :
for d in $dirs; do
	trusted "$d" || continue
	case :$path: in *:"$d":*) ;; *) path=$path${path:+:}$d ;; esac
done
unset IFS
set +f
cd -- "$here"

# What a check left that ended this shell too. None takes an hour.
for d in /tmp/check.*; do
	[ -e "$d" ] || break
	find /tmp -maxdepth 1 -name 'check.*' -user "$uid" -mmin +60 -exec rm -rf -- {} + 2>/dev/null || :
	break
done
# Where the ship is root, each check is a user that owns nothing: systemd's table of user numbers leaves 60706 to 61183 to nobody.
as='' other=
[ "$uid" != 0 ] || other=$((60706 + $(od -An -N2 -tu2 /dev/urandom) % 478))
if [ "$uid" = 0 ] && setpriv --reuid="$other" --regid="$other" --clear-groups true 2>/dev/null; then
	uid=$other gid=$other as="setpriv --reuid=$other --regid=$other --clear-groups --inh-caps=-all --no-new-privs"
fi

mkdir "$room" "$room/etc"
kind=''
# Without walls, what the check has left is found by its user.
trap '[ "$kind" != user ] || $as sh -c "kill -9 -1" || :; rm -rf -- "$room" 2>/dev/null || { chmod -R u+rwX -- "$room" 2>/dev/null; rm -rf -- "$room"; }' EXIT
trap 'exit 1' HUP INT TERM
home=$room/home
mkdir -m 700 "$home" "$home/tmp" "$home/voyage" # closed to others
objects=
if [ -n "$dir" ]; then
	mv -- "$dir" "$home/voyage/workspace"
	objects=$home/voyage/workspace/.git/objects/info/alternates
	[ -n "$cmd" ] || cat >"$home/verify.sh"
else
	mkdir "$home/voyage/workspace"
fi
printf '%s\n' "root:x:0:0:root:/root:/bin/sh" "nobody:x:65534:65534:nobody:/nonexistent:/bin/false" "check:x:$uid:$gid::$home:/bin/sh" >"$room/etc/passwd"
printf '%s\n' "root:x:0:" "nogroup:x:65534:" "check:x:$gid:" >"$room/etc/group"
# The check's loopback is its own, and the ship's addresses are shut to it: who is asked for names there is asked by pasta.
CLOSED=$(ip -o address show 2>/dev/null | while read -r _ _ kind at _; do
	case $kind/$at in inet/127.* | inet6/::1/*) ;; inet/* | inet6/*) printf '%s ' "${at%%/*}" ;; esac
done) || :
FORWARD='' names=/etc/resolv.conf
[ -r "$names" ] || names=/dev/null
set -f
while IFS= read -r line || [ -n "$line" ]; do
	# shellcheck disable=SC2086
	set -- $line
	if [ "${1-}" = nameserver ]; then
		case " 127.0.0.53 127.0.0.1 ::1 0.0.0.0 $CLOSED" in *" ${2:-none} "*) at=own ;; *) at=${2-} ;; esac
		case $at in own | 127.*) line="nameserver 169.254.1.53" at=169.254.1.53 ;; esac
		[ "$at" != 169.254.1.53 ] || FORWARD="--dns-forward 169.254.1.53" # pasta then answers as that server alone
	fi
	printf '%s\n' "$line"
done <"$names" >"$room/etc/resolv.conf"
set +f
export CLOSED FORWARD

# The first wall: processes, files and users. What comes later covers what came before.
wall() { printf '%s\0' "$@" >>"$room/walls"; }
# show lets a file or directory be read. Bubblewrap would close the directories above it to other users.
show() { above "${2%/*}" && wall --ro-bind "$1" "$2"; }
above() {
	case $made: in *":$1:"*) return ;; esac
	above "${1%/*}" && wall --perms 0755 --dir "$1" && made=$made:$1
}
made=:
wall --die-with-parent --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL --chdir /
if [ -n "$as" ]; then wall --cap-add CAP_SETUID --cap-add CAP_SETGID; else wall --unshare-user; fi
# A mount takes far longer than the copy of a small file.
wall --bind "$room/etc" /etc
set --
for f in $shown; do
	[ -e "$f" ] || continue
	case $f in
	/etc/resolv.conf) continue ;; # the check has its own
	/etc/*/*) ;;
	/etc/*)
		if [ -f "$f" ] && [ ! -L "$f" ]; then
			[ ! -r "$f" ] || set -- "$@" "$f"
			continue
		fi
		;;
	esac
	real=$f
	if [ ! -L "$f" ]; then
		:
	elif cd -P -- "$f" 2>/dev/null; then
		real=$PWD
	else
		real=$(readlink -f -- "$f")
	fi
	case $real in
	"$f") show "$f" "$f" ;;
	/usr/* | /opt/* | /nix/store/* | /gnu/store/*)
		case $f in
		/etc/*/*) show "$real" "$f" ;;
		/etc/*) set -- "$@" "$f" ;;
		*) wall --symlink "$real" "$f" ;;
		esac
		;;
	*) show "$real" "$f" ;;
	esac
done
cd -- "$here"
[ $# = 0 ] || cp -P -- "$@" "$room/etc/"
# On a ship behind walls all that is mounted read-only is shown by the captain.
if [ -f /run/ocaptain ]; then
	while read -r _ _ _ _ at how _; do
		case $at in / | /dev* | /proc* | /sys* | /run/ocaptain* | /etc/* | /usr* | /tmp* | /var/tmp*) continue ;; esac
		case $how in ro | ro,*) ;; *) continue ;; esac
		case $at in *[\\%]*) at=$(printf "$(printf %s "$at" | sed 's/%/%%/g')") ;; esac # spaces are written as numbers
		show "$at" "$at"
	done </proc/self/mountinfo
fi
set -f
IFS=:
for d in $path; do
	case $d in /usr/* | /bin | /sbin) continue ;; */bin | */sbin | */shims) d=${d%/*} ;; esac
	show "$d" "$d"
done
unset IFS
set +f
tun=/dev/net/tun
if [ -n "$as" ] && mknod -m 666 "$room/tun" c 10 200 2>/dev/null; then tun=$room/tun; fi # udev opens it to all users, where there is udev
wall --proc /proc --ro-bind-try /dev/null /proc/keys --dev /dev --perms 1777 --dir /dev/net --dev-bind-try "$tun" /dev/net/tun
for d in /tmp /var/tmp /dev/shm; do wall --perms 1777 --size 1073741824 --tmpfs "$d"; done
# Below a directory that is shown may be what is the ship's own.
: >"$room/closed"
IFS=:
for d in $agent $RUNTIME; do
	case $d in / | /tmp | /var/tmp | /dev/shm | [!/]* | '') ;; *) wall --tmpfs "$d" && echo "$d" >>"$room/closed" ;; esac
done
unset IFS
made=: # these cover what was made below them
if [ -f "$objects" ]; then
	while IFS= read -r d; do
		[ -d "$d" ] || continue
		[ -z "$as" ] || find "$d" -type d ! -perm -005 -exec chmod o+rx {} + -o -type f ! -perm -004 -exec chmod o+r {} + 2>/dev/null || :
		show "$d" "$d"
	done <"$objects"
fi
while IFS= read -r d; do wall --remount-ro "$d"; done <"$room/closed"
wall --perms 0711 --dir "$room" --bind "$home" "$home" --remount-ro /etc --remount-ro /
[ -z "$as" ] || chown -R -- "$uid:$gid" "$home"

# The second wall, from behind the first: a network of its own, which pasta connects to all but the ship. It covers /dev/net, where the
# two sides meet.
# shellcheck disable=SC2016
stage='exec 6>&1
begin="echo ready >&7
read -r go <&5
[ -n \"\$go\" ] || exit 1
for a in $CLOSED; do
	case \$a in *:*) six=-6 ;; *) six= ;; esac
	ip \$six rule add to \"\$a\" unreachable priority 1 || exit 1
done
exec setpriv --ambient-caps=-all --inh-caps=-all \"\$@\" 3>&- 5<&- 7>&-"
mkfifo /dev/net/go
{
	bwrap --unshare-user --unshare-net --die-with-parent --cap-add CAP_NET_ADMIN --info-fd 3 --dev-bind / / --tmpfs /dev/net ${FILTER:+--seccomp 9} \
		-- sh -c "$begin" sh "$@" 3>/dev/net/info 5<>/dev/net/go 1>&6 7>&8 6>&- 8>&-
	echo "$?" >&8
} 8>&1 | {
	read -r word
	[ "$word" = ready ] || exit 1
	pid=
	while read -r key value; do
		case $key in *child-pid*) pid=${value%%[!0-9]*} ;; esac
	done </dev/net/info
	timeout 20 pasta --quiet --config-net --no-map-gw $FORWARD -t none -u none -T none -U none \
		--userns "/proc/$pid/ns/user" --netns "/proc/$pid/ns/net" 6>&- 9<&- && go=go || go=
	echo "$go" 1<>/dev/net/go
	read -r code
	exit "${code:-1}"
}'

if [ -z "$dir" ]; then
	set -- true
elif [ -z "$cmd" ]; then
	set -- bash --noprofile --norc "$home/verify.sh"
else
	set -- sh -c "$cmd"
fi
set -- /usr/bin/env -i HOME="$home" PATH="$path" TMPDIR="$home/tmp" USER=check LOGNAME=check SHELL=/bin/sh LANG=C.UTF-8 TERM=dumb "$@"
# shellcheck disable=SC2016
set -- sh -c 'cd "$0" && echo begun >&4 && exec "$@" 2>&1 4>&- 9<&-' "$home/voyage/workspace" "$@"
# Where a wall can't be made the check does not begin, and the next best is tried. The hub ends a check before its hour, unless it can't
# reach the ship.
for kind in both first user none; do
	code=0
	case $kind in
	both) bwrap --args 8 -- timeout -s KILL 3600 $as sh -c "$stage" stage "$@" 8<"$room/walls" ;;
	first) bwrap --args 8 ${FILTER:+--seccomp 9} -- timeout -s KILL 3600 $as "$@" 8<"$room/walls" ;;
	user) [ -z "$FILTER" ] && [ -n "$as" ] && $as "$@" ;;
	none) [ -z "$FILTER" ] && "$@" ;;
	esac </dev/null 2>>"$room/why" 4>"$room/begun" 9<"${FILTER:-/dev/null}" || code=$?
	[ ! -s "$room/begun" ] || break
done
if [ ! -s "$room/begun" ]; then
	echo "the walls of this check cannot be made: $(tail -n 1 "$room/why")"
elif [ -z "$dir" ]; then
	case $kind in
	both) ;;
	first) echo "what listens at the ship's loopback" ;;
	user) echo "the ship's processes, what listens there, and files that every user may read" ;;
	none) echo "all that the ship's agent reaches, its key included" ;;
	esac
elif [ "$code" = 0 ]; then
	printf %s "$word"
fi
exit "$code"
