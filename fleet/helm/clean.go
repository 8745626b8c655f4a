package helm

import (
	"bytes"
	"context"

	"ocaptain/fleet/link"
)

// cleanScript runs a command, or the script on its input, with a home of its own in
// which ~/voyage/workspace is the clean checkout. Everything else in it points to the
// real home, where the tools of the user are.
const cleanScript = `set -e
dir=$1 cmd=$2
home=$(mktemp -d)
trap 'rm -rf -- "$home"' EXIT
trap 'exit 1' HUP INT TERM
for f in "$HOME"/* "$HOME"/.[!.]*; do
	[ -e "$f" ] || continue
	[ "${f##*/}" = voyage ] || ln -s -- "$f" "$home/"
done
mkdir "$home/voyage"
for f in "$HOME"/voyage/*; do
	[ "${f##*/}" = workspace ] || ln -s -- "$f" "$home/voyage/"
done
ln -s -- "$dir" "$home/voyage/workspace"
if [ -z "$cmd" ]; then cat >"$home/verify.sh"; fi
export HOME="$home"
cd "$home/voyage/workspace"
if [ -z "$cmd" ]; then bash "$home/verify.sh" </dev/null 2>&1; else sh -c "$cmd" </dev/null 2>&1; fi
`

// inClean runs a shell command, or a script, in a clean checkout on the ship and
// returns what it printed, without secrets.
func (s *ship) inClean(ctx context.Context, dir, command string, script []byte) (string, error) {
	var out bytes.Buffer
	_, err := s.link.Bulk().Run(ctx, link.Command{
		Argv:      []string{"/bin/sh", "-c", cleanScript, "clean", dir, command},
		Stdin:     bytes.NewReader(script),
		Stdout:    &keepEnd{buf: &out},
		MaxOutput: 64 << 20,
	})
	return s.v.redact(out.String()), err
}

// keepEnd keeps the last part of what is written.
type keepEnd struct{ buf *bytes.Buffer }

func (k *keepEnd) Write(p []byte) (int, error) {
	const most = 256 << 10
	k.buf.Write(p)
	if k.buf.Len() > 2*most {
		k.buf.Next(k.buf.Len() - most)
	}
	return len(p), nil
}
