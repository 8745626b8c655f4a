package link

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Command is a command to run on the ship. The program gets the words of Argv unchanged; no shell expands them.
type Command struct {
	Argv []string

	// Env is added to the ship's environment. The ship's process list shows it for a moment, so pass secrets by Stdin.
	Env map[string]string

	// Dir is the working directory, relative to the home directory.
	Dir string

	// Stdin is copied to the command, followed by an end of file. If the command ends first, Run does not wait for Stdin.
	// An error in reading Stdin ends the command.
	Stdin io.Reader

	// Stdout gets the output, and must not block. If it is nil, the output is in Result.Stdout.
	Stdout io.Writer

	// MaxOutput bounds the output in bytes; a command that prints more is ended with ErrOutput. 0 means 1 MiB if Stdout
	// is nil, otherwise no limit.
	MaxOutput int64

	// Nests says that the command makes sandboxes itself, which other commands on a sandboxed ship may not do.
	Nests bool
}

// mark comes before the process id that the shell prints before it starts the command. What the shell's startup files
// print comes before mark and is dropped.
const mark = "ocaptain-pid:"

// shellLine returns the command as a line for a POSIX shell. The shell replaces itself with the program, so that the
// id that it printed is the program's process id and process group.
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

// Quote returns s as one word for a POSIX shell.
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
