package link

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Command is what to run on the ship. The words of Argv reach the program as they
// are; no shell expands them.
type Command struct {
	Argv []string

	// Env is added to the ship's environment. It is visible in the ship's
	// process list for a moment: secrets go through Stdin.
	Env map[string]string

	// Dir is where to run it, relative to the home directory.
	Dir string

	// Stdin is copied to the command, which gets an end of file after it. It is not waited for
	// when the command ends first. An error in reading it ends the command.
	Stdin io.Reader

	// Stdout gets the output, and must not block. When nil, Result.Stdout does.
	Stdout io.Writer

	// MaxOutput is the most bytes of output before the command is ended with
	// ErrOutput. 0 means 1 MiB when Stdout is nil, otherwise no limit.
	MaxOutput int64

	// Nests says that it makes walls of its own, which commands on a ship behind walls do not.
	Nests bool
}

// mark precedes the process id that a command tells before it starts. Whatever
// the shell's startup files print comes before it and is dropped.
const mark = "ocaptain-pid:"

// shellLine is the command in the words of a POSIX shell. The shell replaces itself with the
// program, so that the id it told is the program's, and its process group too.
func (c Command) shellLine(tellPid bool) (string, error) {
	var b strings.Builder
	if tellPid {
		b.WriteString("echo " + mark + "$$; ")
	}
	if c.Dir != "" {
		b.WriteString("cd -- " + Quote(c.Dir) + " && ")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if !isName(name) {
			return "", fmt.Errorf("bad environment variable name %q", name)
		}
		b.WriteString("export " + name + "=" + Quote(c.Env[name]) + " && ")
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" || c.Argv[0][0] == '-' {
		return "", fmt.Errorf("bad command %q", c.Argv)
	}
	b.WriteString("exec")
	for _, word := range c.Argv {
		b.WriteString(" " + Quote(word))
	}
	if strings.ContainsRune(b.String(), 0) {
		return "", errors.New("a command cannot contain a zero byte")
	}
	return b.String(), nil
}

// Quote makes one word of a POSIX shell out of s.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_@%+:,./-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func isName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
