package trial_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ocaptain/fleet/process"
	"ocaptain/fleet/trial"
	"ocaptain/tasks/eventually"
)

// program returns the path of an agent that is a shell script.
func program(t *testing.T, script string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// inProcess tries a program in a process of its own.
func inProcess(t *testing.T, o trial.Order) (said string, err error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	order, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "trial-for-test")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write(order); err != nil {
		t.Error(err)
	}
	err = cmd.Wait()
	return out.String(), err
}

// A trial ends the processes that its agent leaves running.
func TestNothingIsLeftRunning(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	p := program(t, `setsid sh -c 'echo $$ >`+pid+`.new; mv `+pid+`.new `+pid+`; exec sleep 100000' >/dev/null 2>&1 &
while ! [ -e `+pid+` ]; do :; done
echo 1.0`)
	if said, err := inProcess(t, trial.Order{Agent: "amp", Program: p}); err != nil {
		t.Fatal(err, said)
	}
	raw, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	left, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if is := process.Identify(left); is.Alive() {
		is.Kill()
		t.Error("what it left is still running")
	}
}

// The error for a program that cannot even print its version quotes the program.
func TestDoesNotRun(t *testing.T) {
	said, err := inProcess(t, trial.Order{Agent: "amp", Program: program(t, "echo no such library >&2; exit 3")})
	if err == nil || !strings.Contains(said, "amp --version does not run: exit status 3: no such library") {
		t.Error(err, said)
	}
}

// A trial that is cut short does not count as a refusal.
func TestCutTrial(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	p := program(t, `[ "$1" = --version ] && { echo 1.0; exit; }; echo >`+begun+`; exec sleep 100000`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := trial.Run(ctx, "/tmp", trial.Order{Agent: "claude", Program: p})
		done <- err
	}()
	eventually.Holds(t, "the agent begins", func() bool { _, err := os.Stat(begun); return err == nil })
	cancel()
	if err := <-done; err == nil {
		t.Error("it counts")
	}
}
