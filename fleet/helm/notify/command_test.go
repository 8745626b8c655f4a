package notify

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/need"
	"ocaptain/fleet/process"
	"ocaptain/tasks/eventually"
)

// script returns a Command that runs a shell script, without a tight time limit.
func script(t *testing.T, text string, args ...string) Command {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "tell")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return Command{Argv: append([]string{path}, args...), Dir: dir, Most: time.Hour}
}

func (c Command) read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The text of a ship is only on standard input, as JSON without anything that a terminal obeys.
func TestHostileWordsAreOnStdinAlone(t *testing.T) {
	c := script(t, `cat >in; printf '%s\n' "$@" >args; env >env; pwd >dir`, "one", "two words")
	for _, why := range []string{"a plain reason", "$(touch owned) `touch owned` '; touch owned; \"", "canary\nKIND=canary\x00\x1b]0;canary\x07\u202e", cleantest.Hostile} {
		n := &need.Need{Kind: fleet.NeedAnswer, Voyage: "voyage-1", Ships: []string{"ship-0"}, Why: why, Since: start}
		if err := c.Run(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		in := c.read(t, "in")
		cleantest.Check(t, "stdin", strings.TrimSuffix(in, "\n"), cleantest.JSON)
		var got need.Need
		if err := json.Unmarshal([]byte(in), &got); err != nil || strings.Count(in, "\n") != 1 {
			t.Fatalf("%v: %q", err, in)
		}
		if want := string([]rune(why)); got.Why != want || got.ID() != n.ID() {
			t.Errorf("got %q, want %q", got.Why, want)
		}
		if args := c.read(t, "args"); args != "one\ntwo words\n" {
			t.Errorf("arguments: %q", args)
		}
		if env := c.read(t, "env"); strings.Contains(env, "canary") || strings.Contains(env, "owned") {
			t.Errorf("environment: %q", env)
		}
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "owned")); err == nil {
		t.Error("what a ship says was executed")
	}
	if dir, err := filepath.EvalSymlinks(c.Dir); err != nil || strings.TrimSpace(c.read(t, "dir")) != dir {
		t.Errorf("it runs in %s, %v", c.read(t, "dir"), err)
	}
}

func TestFailures(t *testing.T) {
	hangs := script(t, "echo waiting; exec tail -f /dev/null")
	hangs.Most = time.Millisecond
	for name, c := range map[string]struct {
		Command
		want string // part of the error, "" for success
	}{
		"reads nothing":  {script(t, "exit 0"), ""},
		"fails":          {script(t, "echo first; echo 'no \033[31mnetwork' >&2; echo; exit 3"), "exit status 3: no network"},
		"says nothing":   {script(t, "exit 3"), "exit status 3"},
		"says too much":  {script(t, "yes | head -c 1000000; echo the end; exit 1"), "exit status 1: the end"},
		"one long line":  {script(t, "yes | head -c 1000000 | tr '\\n' y; exit 1"), "exit status 1: yyyy"},
		"is not there":   {Command{Argv: []string{"no-such-program-here"}, Dir: t.TempDir(), Most: time.Hour}, `"no-such-program-here" cannot be started`},
		"has no home":    {Command{Argv: []string{"true"}, Dir: "/no/such/home", Most: time.Hour}, `"true" cannot be started`},
		"takes too long": {hangs, "it did not end within 1ms"},
	} {
		err := c.Run(t.Context(), &need.Need{Kind: fleet.NeedDisk, Why: "full"})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whether the command ends by itself or is killed, no process that it has started is left.
func TestNothingIsLeft(t *testing.T) {
	for name, rest := range map[string]string{"it hangs": "wait", "it ends well": "exit 0"} {
		t.Run(name, func(t *testing.T) {
			c := script(t, "tail -f /dev/null & echo $! >child.new && mv child.new child\n"+rest)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- c.Run(ctx, &need.Need{Kind: fleet.NeedDisk, Why: "full"}) }()
			var child int
			eventually.Succeeds(t, "it has a child", func() error {
				raw, err := os.ReadFile(filepath.Join(c.Dir, "child"))
				if err == nil {
					child, err = strconv.Atoi(strings.TrimSpace(string(raw)))
				}
				return err
			})
			if rest == "wait" {
				cancel()
			}
			if err := <-ended; (err != nil) != (rest == "wait") {
				t.Errorf("it ended with %v", err)
			}
			eventually.Holds(t, "the child is gone", func() bool { return !process.Identify(child).Alive() })
		})
	}
}
