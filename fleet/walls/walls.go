// Package walls runs checks on a ship. A check runs what agents wrote, on the ship of another agent: it is to reach no process, socket,
// key or file of that ship.
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

// Check is the command for a ship that runs a shell command behind walls, or a script when there is no command, in a clean checkout that
// it takes over. It has passed when the ship ends its output with the word, which only this side knows: startup files of the agent's may
// end the shell before with any exit code.
func Check(dir, command string, verify []byte) (c link.Command, word string) {
	word = rand.Text()
	return link.Command{
		Argv:  argv(dir, command),
		Stdin: io.MultiReader(strings.NewReader(word+"\n"), bytes.NewReader(verify)),
		Nests: true,
	}, word
}

// Remains is the command that prints what checks on a ship reach although they should not, and nothing where the walls hold.
func Remains() link.Command {
	return link.Command{Argv: argv("", ""), Stdin: strings.NewReader("\n"), Nests: true}
}

// argv runs the script without the variables of the ship's user, and so without functions and libraries that are loaded before programs.
func argv(dir, command string) []string {
	const bare = `exec /usr/bin/env -i "AGENT=$HOME" "TOOLS=$PATH" "RUNTIME=${TMUX_TMPDIR-}:${XDG_RUNTIME_DIR-}" "FILTER=${` + proto.Nests + `-}" ` +
		`PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 /bin/sh -c "$0" "$@"`
	return []string{"/bin/sh", "-c", bare, script, "check", dir, command, strings.Join(sandbox.System(), " ")}
}
