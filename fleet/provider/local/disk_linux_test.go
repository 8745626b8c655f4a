package local_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/tasks/eventually"
)

func fillDisk(t *testing.T) {
	const fill = `while head -c 8M /dev/zero; do :; done`
	for name, attack := range map[string]string{
		"files":          `i=0; while head -c 32M /dev/zero >f$i; do i=$((i+1)); done`,
		"a closed door":  `mkdir -p d && cd d && exec >f && chmod 000 . && ` + fill,
		"without a name": `exec >f && rm f && ` + fill,
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) { fillDiskBy(t, attack) })
	}
}

func fillDiskBy(t *testing.T, attack string) {
	var most atomic.Int64
	most.Store(256 << 20)
	o := options(t, local.Always)
	o.Bounds = func() (sandbox.Bounds, error) { return sandbox.Bounds{Disk: most.Load()}, nil }
	s, other := newShip(t, o), newShip(t, options(t, local.Always))
	ctx, cancel := context.WithCancel(t.Context())
	watched, ended := make(chan struct{}), make(chan struct{})
	go func() { defer close(watched); s.provider.Watch(ctx) }()
	go func() {
		defer close(ended)
		_, _ = s.Run(ctx, link.Command{Argv: []string{"bash", "-c", attack}})
	}()
	defer func() { cancel(); <-watched; <-ended }()
	eventually.Holds(t, "the ship is stopped", func() bool {
		m, err := s.provider.Get(ctx, "ship-0")
		return err == nil && m.State == provider.Stopped
	})
	if left := processesOf(t, o, s.machine); len(left) > 0 {
		t.Errorf("processes of it go on: %v", left)
	}
	if got := other.sh("echo still here"); got != "still here" {
		t.Errorf("another ship: %q", got)
	}
	if strings.Contains(attack, "rm f") { // the space is free once its processes are gone
		if _, err := s.provider.Ensure(soon(t), "ship-0"); err != nil {
			t.Errorf("it is not back: %v", err)
		}
		return
	}
	var full *provider.FullError
	_, err := newProvider(t, o).Ensure(soon(t), "ship-0") // by a process that is not the watcher
	if !errors.As(err, &full) || full.Used <= full.Most || full.Most != 256<<20 || full.Dir != s.home() {
		t.Fatalf("it comes back: %v", err)
	}
	most.Store(1 << 40)
	if _, err := s.provider.Ensure(soon(t), "ship-0"); err != nil {
		t.Errorf("it may use more, and is not back: %v", err)
	}
}
