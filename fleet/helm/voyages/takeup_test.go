package voyages

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/provider/describe"
	"ocaptain/tasks/eventually"
)

// TestTakeUpLate starts helm while another process has the tasks of a voyage: a process that ends a moment later, and a process
// that stays.
func TestTakeUpLate(t *testing.T) {
	t.Parallel()
	for name, stays := range map[string]bool{"for a moment": false, "for long": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hub := helmtest.Hub(t)
			d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
			if err := os.MkdirAll(d.TasksDir(), 0o700); err != nil {
				t.Fatal(err)
			}
			other, err := os.Open(d.TasksDir())
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
				t.Fatal(err)
			}
			release := func() {
				if err := syscall.Flock(int(other.Fd()), syscall.LOCK_UN); err != nil {
					t.Fatal(err)
				}
			}
			var log bytes.Buffer // read when no job writes any more
			h, err := New(context.Background(), hub, supervise.Binary{Path: helmtest.Program, Digest: "test"}, describe.Settings{Hosts: func() ([]string, error) { return nil, nil }}, func() ([]string, error) { return nil, nil }, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			h.lateTries = []time.Duration{10 * time.Millisecond, 10 * time.Millisecond}
			isOpen := func() bool {
				v, _ := h.opened(d.ID())
				return v != nil
			}
			if stays {
				h.takeUpLate([]fleet.Dir{d})
				if isOpen() {
					t.Fatal("two processes have it")
				}
				release()
				if _, err := h.open(d); err != nil {
					t.Error(err)
				}
			} else {
				h.lateTries = append(h.lateTries, time.Hour)
				h.takeUp()
				if isOpen() {
					t.Fatal("two processes have it")
				}
				release()
				eventually.Holds(t, "it is taken up", isOpen)
			}
			h.Close()
			said := log.String()
			if n := strings.Count(said, "WARN"); n > 1 || (n == 1) != stays || strings.Contains(said, "ERROR") || stays && !strings.Contains(said, "in use by another process") {
				t.Errorf("helm.log: %s", said)
			}
			if len(h.damaged) > 0 {
				t.Errorf("it counts as damaged: %v", h.damaged)
			}
		})
	}
}
