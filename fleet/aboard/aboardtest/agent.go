package aboardtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// PutClaude installs a program claude on the ship that is this test binary.
func PutClaude(t *testing.T, dir, script string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, ".ocaptain", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --version ] && { echo '2.1.329 (Claude Code)'; exit; }\n%s\nexec %s fake-agent \"$@\"\n", script, exe)
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// fakeAgent writes down its arguments and environment, and then executes the lines that it reads.
func fakeAgent() int {
	dir := os.Getenv("HOME")
	call, _ := json.Marshal(map[string]any{"args": os.Args[2:], "env": os.Environ()})
	f, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 9
	}
	_, _ = f.Write(append(call, '\n'))
	_ = f.Close()
	fmt.Println("agent ready")
	var line string
	for {
		fmt.Print("❯ ")
		if _, err := fmt.Scanln(&line); err != nil {
			return 0
		}
		line = strings.ReplaceAll(line, "\u2060", "") // Claude Code does this too
		switch line {
		case "die":
			return 3
		case "exit":
			return 0
		}
		fmt.Println("heard", line)
	}
}

// Call is one start of the fake agent.
type Call struct{ Args, Env []string }

// Calls returns the starts of the fake agent, in order.
func Calls(dir string) []Call {
	raw, _ := os.ReadFile(filepath.Join(dir, "calls"))
	var all []Call
	for line := range strings.Lines(string(raw)) {
		var c Call
		if json.Unmarshal([]byte(line), &c) == nil {
			all = append(all, c)
		}
	}
	return all
}
