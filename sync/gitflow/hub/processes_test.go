package hub

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/wire"
)

// How many processes a claim and a completion may start, on the hub and on the ship together.
const (
	mostOfClaim      = 1
	mostOfCompletion = 2
)

// TestFewProcesses counts the processes that a claim and a completion start, after hub and ships have started. Other
// work is merged before each, so that checkouts change trees and completions merge files.
func TestFewProcesses(t *testing.T) {
	source := t.TempDir()
	fill(t, source, 200)
	h, _ := start(t, source)
	var ships []*lined
	for i := range 2 {
		s := &lined{dir: filepath.Join(t.TempDir(), "workspace"), name: fmt.Sprint("ship-", i)}
		defer s.end()
		ships = append(ships, s)
	}
	started := countGit(t)
	n := 0
	claim := func(s *lined) {
		if _, err := h.Checkout(t.Context(), s, s.name, ""); err != nil {
			t.Fatal(err)
		}
	}
	complete := func(s *lined) {
		n++
		put(t, s.dir, fmt.Sprintf("dir%d/new%d.txt", n%40, n), "new")
		put(t, s.dir, "dir1/"+s.name+".txt", fmt.Sprint("changed ", n))
		if _, err := h.Merge(t.Context(), s, sync.Merge{Name: s.name, Subject: "task", Author: "Ship <ship@example.org>", Keep: fmt.Sprint("refs/ocaptain/tasks/", n)}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for _, s := range ships {
			claim(s)
			complete(s)
		}
	}
	claim(ships[1])
	for _, step := range []struct {
		what string
		most int
		do   func()
	}{
		{"a claim", mostOfClaim, func() { claim(ships[0]) }},
		{"a completion", mostOfCompletion, func() { complete(ships[1]) }}, // ship 0 does not have this commit yet
		{"a completion beside another one", mostOfCompletion, func() { complete(ships[0]) }},
	} {
		before := ships[0].started + ships[1].started
		_ = started()
		step.do()
		git := slices.DeleteFunc(started(), func(verb string) bool { return verb == "update-ref" }) // the long-running update-ref restarts every ten seconds
		own := ships[0].started + ships[1].started - before
		if all := len(git) + own; all > step.most {
			t.Errorf("%s starts %d processes, more than %d: %d on the ship, and git %s", step.what, all, step.most, own, strings.Join(git, ", "))
		}
	}
}

// lined is a remote tree that one process serves for many requests.
type lined struct {
	dir, name string
	started   int
	cmd       *exec.Cmd // nil while no process runs
	io.Reader
	io.WriteCloser
}

func (l *lined) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if l.cmd == nil {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), treeVar+"="+l.dir, "GORACE=atexit_sleep_ms=0")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		l.started++
		l.cmd, l.Reader, l.WriteCloser = cmd, out, in
	}
	err := wire.Talk(ctx, l, args, stdin, stdout)
	if err != nil {
		l.end()
	}
	return err
}

func (l *lined) end() {
	if l.cmd != nil {
		l.Close()
		_ = l.cmd.Wait()
		l.cmd = nil
	}
}

// countGit logs each start of git. The function that it returns lists the git commands that started since its last
// call.
func countGit(t *testing.T) func() []string {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$1\" >>%s\nexec %s \"$@\"\n", log, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return func() []string {
		raw, _ := os.ReadFile(log)
		_ = os.Remove(log)
		times := map[string]int{}
		for verb := range strings.FieldsSeq(string(raw)) {
			times[verb]++
		}
		var all []string
		for _, verb := range slices.Sorted(maps.Keys(times)) {
			for range times[verb] {
				all = append(all, verb)
			}
		}
		return all
	}
}
