package aboardtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// Programs are the programs of ocaptain that run on a ship. In tests they run in the test binary.
type Programs struct {
	Run    func(ctx context.Context, dir string) error
	Serve  func(ctx context.Context, dir string, stdin io.Reader, stdout io.Writer) error
	Hook   func(ctx context.Context, dir, event string, stdin io.Reader, stdout, stderr io.Writer) int
	Script func(ctx context.Context, dir string, out io.Writer) error
}

var programs Programs

// Main runs the tests of a package. The test binary also serves as the ocaptain of ships, and as their agent.
func Main(m *testing.M, p Programs) {
	programs = p
	if len(os.Args) > 2 && os.Args[1] == "aboard" {
		os.Exit(runProgram(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "fake-agent" {
		os.Exit(fakeAgent())
	}
	// With CI set, Claude Code uses no colours, and package prompt tells a hint from a draft by its colour. Ships do not
	// set CI.
	_ = os.Unsetenv("CI")
	goleak.VerifyTestMain(m)
}

func runProgram(args []string) int {
	ctx, dir := context.Background(), os.Getenv("HOME")
	var err error
	switch args[0] {
	case "run":
		err = programs.Run(ctx, dir)
	case "serve":
		err = programs.Serve(ctx, dir, os.Stdin, os.Stdout)
	case "hook":
		if record := filepath.Join(dir, "prompts"); args[1] == "UserPromptSubmit" && Exists(record) {
			return programs.Hook(ctx, dir, args[1], recorded(record), os.Stdout, os.Stderr)
		}
		return programs.Hook(ctx, dir, args[1], os.Stdin, os.Stdout, os.Stderr)
	case "script":
		err = programs.Script(ctx, dir, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Exists reports whether the file exists.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// recorded copies a hook's standard input to a file, and returns a reader of it.
func recorded(path string) io.Reader {
	raw, err := io.ReadAll(os.Stdin)
	if err != nil {
		return strings.NewReader("")
	}
	if f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.Write(append(bytes.TrimSpace(raw), '\n'))
		_ = f.Close()
	}
	return bytes.NewReader(raw)
}
