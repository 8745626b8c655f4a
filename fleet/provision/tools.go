package provision

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/tools"
	"ocaptain/fleet/walls"
	"ocaptain/fleet/webapi"
)

// toolsScript makes sure that programs are installed: those before "--" are required, and those after it are useful. NAME=LEAST=FLAG is
// a program that must not be older than LEAST, and that prints its version when it is called with FLAG; a program that prints none is
// accepted. It installs packages of Debian and Ubuntu as root, or as a user with sudo without a password. It waits up to $wait seconds
// for another installation, such as the updates that a fresh machine begins by itself. After a failure that may pass it exits with 75.
// With $look it installs nothing.
const toolsScript = `# what $1 is about: a name, and where a version matters, what is needed and what is there
judge() {
	name=${1%%=*} least= has=
	command -v "$name" >/dev/null 2>&1 || return 1
	case $1 in *=*) ;; *) return 0 ;; esac
	least=${1#*=} flag=${1##*=}
	least=${least%%=*}
	has=$("$name" "$flag" 2>/dev/null </dev/null) || return 1
	has=${has#"${has%%[0-9]*}"}
	major=${has%%[!0-9]*}
	[ -n "$major" ] || return 0
	rest=${has#"$major"}
	case $rest in .[0-9]*) rest=${rest#.} ;; *) rest=0 ;; esac
	minor=${rest%%[!0-9]*} has=$major.${rest%%[!0-9]*}
	[ "$major" -gt "${least%%.*}" ] || { [ "$major" -eq "${least%%.*}" ] && [ "$minor" -ge "${least#*.}" ]; }
}
lacking() { for p; do
	case $p in
	bubblewrap) command -v bwrap >/dev/null 2>&1 || printf ' %s' "$p" ;;
	passt) command -v pasta >/dev/null 2>&1 || printf ' %s' "$p" ;;
	iproute2) command -v ip >/dev/null 2>&1 || printf ' %s' "$p" ;;
	ca-certificates) [ -s /etc/ssl/certs/ca-certificates.crt ] || printf ' %s' "$p" ;;
	*) judge "$p" || printf ' %s' "$name" ;;
	esac
done; }
outdated() { for p; do
	judge "$p" || [ -z "$has" ] || printf ' (%s %s is too old there, %s is needed)' "$name" "$has" "$least"
done; }
must=
while [ "$1" != -- ]; do must="$must $1"; shift; done
shift
missing=$(lacking $must) useful=$(lacking "$@")
[ -z "$missing$useful" ] && exit 0
give_up() {
	[ -z "$missing" ] && exit 0
	echo "install these programs on the ship:$missing$(outdated $must)$1" >&2
	exit "${2:-1}"
}
[ -z "$look" ] || give_up
sudo=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 || give_up " (its user is not root, and there is no sudo)"
	sudo -n true 2>/dev/null || give_up " (its user is not root, and sudo asks for a password)"
	sudo='sudo -n'
fi
command -v apt-get >/dev/null 2>&1 || give_up " (there is no apt-get that could do it)"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM
as_root() { $sudo env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a LC_ALL=C "$@" </dev/null >>"$log" 2>&1; }
apt() { as_root apt-get -q -o DPkg::Lock::Timeout="$wait" -o Acquire::Retries=3 "$@"; }
began=$(date +%s) repaired=
while :; do
	: >"$log"
	apt update # one source that fails need not be the one that is needed
	apt install -y $missing $useful && break
	if grep -Eq 'Could not get lock|Unable to acquire the dpkg|Unable to lock' "$log"; then
		if [ $(($(date +%s) - began)) -ge "$wait" ]; then
			tail -n 40 "$log"
			give_up " (something else installs there, and does not end)" 75
		fi
		sleep 1
		continue
	fi
	if [ -z "$repaired" ] && grep -q 'dpkg was interrupted' "$log"; then
		repaired=yes
		as_root dpkg --configure -a
		continue
	fi
	if [ -n "$useful" ]; then # without it, then
		useful=
		[ -z "$missing" ] || continue
	fi
	break
done
tail -n 40 "$log"
missing=$(lacking $must)
[ -z "$missing" ] && exit 0
if grep -Eq 'Temporary failure|Could not resolve|Could not connect|Connection (failed|timed out)|Failed to fetch|Hash Sum mismatch' "$log"; then
	give_up " (its packages cannot be fetched now)" 75
fi
why=$(grep '^E:' "$log" | head -n 1 | cut -c1-200)
[ -z "$why" ] || give_up " (apt-get could not: $why)"
give_up " (its distribution has no other: take an image with a newer one)"
`

// lockWait is how long to wait for another installation, since updates of a fresh machine take minutes.
const lockWait = 4 * time.Minute

// installTools makes sure that the programs are installed that every ship needs, that the download of the agent needs, and that sandbox checks need.
// It reports what checks can reach without them. A local ship is on the captain's own machine, so nothing is installed there.
func (w *work) installTools(ctx context.Context) error {
	at := registry.Of(w.Ship.Provider)
	here := at.Here
	useful := w.useful(ctx, here)
	if !at.Owned {
		useful = append(useful, "bubblewrap", "passt", "iproute2")
	}
	if err := w.run(ctx, &w.link.Lane, link.Command{Argv: toolsCommand(lockWait, here, useful...)}); err != nil {
		return err
	}
	out, err := w.link.Run(ctx, walls.Remains())
	if err != nil {
		return err
	}
	w.Ship.Open = webapi.ShortLine(string(out.Stdout), 600)
	if w.Ship.Open != "" {
		w.Report("tools", Note, "what checks run there reaches "+w.Ship.Open+": see ocaptain help trust", 0)
	}
	return nil
}

// useful returns the programs that download the agent, if that is necessary.
func (w *work) useful(ctx context.Context, here bool) []string {
	a, err := w.Voyage.FindAgent(&w.Ship)
	switch {
	case err != nil || here || len(a.Version) == 0 || !a.Packaged && a.Install == "" || w.usable(ctx, a) == nil:
		return nil
	case a.Packaged:
		return []string{"ca-certificates"}
	}
	return []string{"curl", "ca-certificates"}
}

// toolsCommand returns the command that runs toolsScript. With look, it installs nothing.
func toolsCommand(wait time.Duration, look bool, useful ...string) []string {
	begin := fmt.Sprintf("wait=%d look=\n", int(wait.Seconds()))
	if look {
		begin = "look=yes\n"
	}
	var must []string
	for _, t := range tools.OfShips() {
		if t.Least == "" {
			must = append(must, t.Package)
			continue
		}
		must = append(must, t.Package+"="+t.Least+"="+t.Version[1])
	}
	return slices.Concat([]string{"/bin/sh", "-c", begin + toolsScript, "tools"}, must, []string{"--"}, useful)
}
