package helm

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"io"
	"strings"

	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
)

// cleanScript runs a command, or the script on its input, in a home of its own.
//
//go:embed clean.sh
var cleanScript string

// inClean runs a shell command, or a script, in a clean checkout on the ship and
// returns what it printed, without secrets. It has passed when the ship tells a word that only
// the script knows: startup files of the agent's may end the shell before with any exit code.
func (s *ship) inClean(ctx context.Context, dir, command string, script []byte) (string, error) {
	out := &keepEnd{}
	word := rand.Text()
	_, err := s.link.BulkLane().Run(ctx, link.Command{
		Argv:      cleanArgv(dir, command),
		Stdin:     io.MultiReader(strings.NewReader(word+"\n"), bytes.NewReader(script)),
		Stdout:    out,
		MaxOutput: 64 << 20,
		Nests:     true,
	})
	said, passed := strings.CutSuffix(out.buf.String(), word)
	if err == nil && !passed {
		err = &link.ExitError{Name: s.name, Command: "check", Code: 1, Stderr: "its shell ended before the check did"}
	}
	return s.v.redact(said), err
}

// cleanArgv runs cleanScript without the variables of the ship's user, and so without functions and
// libraries that are loaded before programs.
func cleanArgv(dir, command string) []string {
	const bare = `exec /usr/bin/env -i "AGENT=$HOME" "TOOLS=$PATH" "FILTER=${` + proto.Nests + `-}" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 /bin/sh -c "$0" "$@"`
	return []string{"/bin/sh", "-c", bare, cleanScript, "clean", dir, command}
}

// keepEnd keeps the last part of what is written.
type keepEnd struct{ buf bytes.Buffer }

func (k *keepEnd) Write(p []byte) (int, error) {
	const most = 256 << 10
	k.buf.Write(p)
	if k.buf.Len() > 2*most {
		k.buf.Next(k.buf.Len() - most)
	}
	return len(p), nil
}
