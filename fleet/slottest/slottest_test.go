package slottest

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"ocaptain/tasks/eventually"
)

// Tests never hold more slots than the pool has, and all get theirs.
func TestPool(t *testing.T) {
	p := pool{dir: t.TempDir(), size: 4}
	var taken, most atomic.Int64
	var all sync.WaitGroup
	for i := range 12 {
		n := 1 + i%6 // sometimes more than the pool has
		all.Go(func() {
			free, err := p.take(n)
			if err != nil {
				t.Error(err)
				return
			}
			if now := taken.Add(int64(min(n, p.size))); now > most.Load() {
				most.Store(now)
			}
			taken.Add(-int64(min(n, p.size)))
			free()
		})
	}
	all.Wait()
	if most.Load() > int64(p.size) {
		t.Errorf("%d of %d slots were taken", most.Load(), p.size)
	}
}

const holder = "OCAPTAIN_TEST_HOLDER"

// A killed process frees its slots.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(holder); dir != "" {
		if _, err := (pool{dir, 2}).take(2); err != nil {
			t.Fatal(err)
		}
		_ = os.WriteFile(dir+"/taken", nil, 0o600)
		_, _ = io.ReadAll(os.Stdin) // blocks until it is killed
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestKilled$")
	cmd.Env = append(os.Environ(), holder+"="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually.Succeeds(t, "the other process has both slots", func() error {
		_, err := os.Stat(dir + "/taken")
		return err
	})
	got := make(chan error, 1)
	go func() {
		_, err := (pool{dir, 2}).take(2)
		got <- err
	}()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := eventually.Receives(t, "its slots", got); err != nil {
		t.Error(err)
	}
}

func TestOnce(t *testing.T) {
	t.Setenv(SlotsVar, "2")
	Take(t, 2)
	Take(t, 2)
	t.Run("below", func(t *testing.T) { Take(t, 1) })
	if n := len(has.tests); n != 1 {
		t.Errorf("%d tests have slots", n)
	}
}
