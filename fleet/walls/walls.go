// Package walls runs checks on a ship. A check runs code that agents wrote, on the ship of another agent: the code must reach no
// process, socket, key or file of that ship.
package walls

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"io"
	"strings"

	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provider/local/sandbox"
)

//go:embed check.sh
var script string

// Check returns the command that runs a shell command, or the script verify when there is no command, in a sandbox on a ship, in a clean
// checkout that the check takes over. The check has passed when the ship's output ends with word, which only this side knows: startup
// files of the agent could end the shell early with any exit code.
func Check(dir, command string, verify []byte) (c link.Command, word string) {
	word = rand.Text()
	return link.Command{
		Argv:  argv(dir, command),
		Stdin: io.MultiReader(strings.NewReader(word+"\n"), bytes.NewReader(verify)),
		Nests: true,
	}, word
}

// Remains returns the command that prints what checks on a ship can reach although they should not; it prints nothing when
// the sandbox holds.
func Remains() link.Command {
	return link.Command{Argv: argv("", ""), Stdin: strings.NewReader("\n"), Nests: true}
}

// argv returns the command line that runs the script without the variables of the ship's user, and so without shell functions and
// preloaded libraries.
func argv(dir, command string) []string {
	const bare = `exec /usr/bin/env -i "AGENT=$HOME" "TOOLS=$PATH" "RUNTIME=${TMUX_TMPDIR-}:${XDG_RUNTIME_DIR-}" "FILTER=${` + proto.Nests + `-}" ` +
		`PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 /bin/sh -c "$0" "$@"`
	return []string{"/bin/sh", "-c", bare, script, "check", dir, command, strings.Join(sandbox.System(), " "), rand.Text()}
}
