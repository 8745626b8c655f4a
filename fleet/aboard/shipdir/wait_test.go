package shipdir

import (
	"context"
	"os/exec"
	"testing"
)

// TestWait waits for processes that end, are told apart, or never were, and for a context.
func TestWait(t *testing.T) {
	for name, wait := range map[string]func(Process, context.Context){"by the system": Process.Wait, "looking": Process.waitLooking} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sleep", "1000")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
			p := Identify(cmd.Process.Pid)

			wait(Process{}, t.Context())
			wait(Process{p.PID, "another boot"}, t.Context())

			ctx, cancel := context.WithCancel(t.Context())
			given := make(chan struct{})
			go func() { defer close(given); wait(p, ctx) }()
			ended := make(chan struct{})
			go func() { defer close(ended); wait(p, t.Context()) }()
			cancel()
			<-given
			if !p.Alive() {
				t.Fatal("the process ended with the context")
			}
			select {
			case <-ended:
				t.Fatal("the process has not ended yet")
			default:
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-ended // a zombie has ended
			if p.Alive() {
				t.Error("the process is alive")
			}
		})
	}
}
