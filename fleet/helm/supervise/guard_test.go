package supervise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks/eventually"
)

// standIn plays helm or its guard without any voyage: it records its start and holds its lock until it is killed.
func standIn(what string) int {
	hub, err := fleet.FindHub()
	if err != nil {
		return 1
	}
	if what == "gone" {
		exe, _ := os.Executable()
		_ = os.Remove(exe)
		fmt.Println(Check(context.Background(), hub))
		return 0
	}
	hub.State = os.Getenv("XDG_DATA_HOME")
	births, err := os.OpenFile(filepath.Join(hub.State, "births"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	fmt.Fprintf(births, "%s %d\n", what, os.Getpid())
	switch what {
	case "guard":
		if KeepRunning(context.Background(), hub) != nil {
			return 1
		}
	case "run":
		lock := helmLock(hub)
		if ok, err := tryLock(context.Background(), lock, 5*time.Second); err != nil || !ok {
			return 1
		}
		if _, err := os.Stat(filepath.Join(hub.State, "crash")); err == nil {
			fmt.Fprintln(os.Stderr, "error: no key\nhint:  make one")
			return 1
		}
		go KeepGuard(context.Background(), hub)
		select {}
	}
	return 0
}

// births returns the ids of all started processes of that sort, and of the processes that are alive.
func births(hub fleet.Hub, what string) (all, alive []int) {
	raw, _ := os.ReadFile(filepath.Join(hub.State, "births"))
	for line := range strings.Lines(string(raw)) {
		var kind string
		var pid int
		if _, err := fmt.Sscan(line, &kind, &pid); err != nil || kind != what {
			continue
		}
		all = append(all, pid)
		if syscall.Kill(pid, 0) == nil {
			alive = append(alive, pid)
		}
	}
	return all, alive
}

func guarded(t *testing.T) fleet.Hub {
	t.Helper()
	hub := newHub(t)
	t.Setenv("XDG_DATA_HOME", hub.State)
	t.Cleanup(func() {
		_ = MarkStopped(hub)
		for _, what := range []string{"guard", "run"} {
			_, alive := births(hub, what)
			for _, pid := range alive {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	return hub
}

func one(hub fleet.Hub, what string, not int) func() bool {
	return func() bool {
		_, alive := births(hub, what)
		return len(alive) == 1 && alive[0] != not
	}
}

// TestHelmAndGuardHealEachOther kills helm and the guard in turn: soon both are running again, until helm is stopped.
func TestHelmAndGuardHealEachOther(t *testing.T) {
	hub := guarded(t)
	if _, err := startHelm(hub, "run"); err != nil {
		t.Fatal(err)
	}
	last := map[string]int{}
	for range 2 {
		for _, what := range []string{"run", "guard"} {
			eventually.Holds(t, "one of each", func() bool { return one(hub, "run", 0)() && one(hub, "guard", 0)() })
			eventually.Holds(t, "the guard holds its lock", func() bool { return isHeld(hub) })
			_, alive := births(hub, what)
			last[what] = alive[0]
			_ = syscall.Kill(alive[0], syscall.SIGKILL)
			eventually.Holds(t, "another "+what, one(hub, what, last[what]))
		}
	}
	eventually.Holds(t, "the guard holds its lock", func() bool { return isHeld(hub) })
	before, helms := births(hub, "run")
	if err := MarkStopped(hub); err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(helms[0], syscall.SIGKILL)
	eventually.Holds(t, "the guard ends", func() bool { _, alive := births(hub, "guard"); return len(alive) == 0 })
	if after, _ := births(hub, "run"); len(after) != len(before) {
		t.Error("helm was started again although it was stopped")
	}
}

// isHeld reports whether both helm and its guard hold their locks.
func isHeld(hub fleet.Hub) bool {
	for _, l := range []interface {
		TryLock() (bool, error)
		Unlock() error
	}{helmLock(hub), guardLock(hub)} {
		if ok, err := l.TryLock(); ok || err != nil {
			_ = l.Unlock()
			return false
		}
	}
	return true
}

// TestStopDuringACrashLoop stops a helm that keeps dying, during a pause of the guard: it is not started again.
func TestStopDuringACrashLoop(t *testing.T) {
	hub := guarded(t)
	if err := os.WriteFile(filepath.Join(hub.State, "crash"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := startHelm(hub, "guard"); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "three deaths", func() bool { all, _ := births(hub, "run"); return len(all) >= 3 })
	if err := Stop(context.Background(), hub); err != nil {
		t.Fatal(err)
	}
	before, _ := births(hub, "run")
	eventually.Holds(t, "the guard ends", func() bool { _, alive := births(hub, "guard"); return len(alive) == 0 })
	if after, _ := births(hub, "run"); len(after) != len(before) || len(after) > 6 {
		t.Errorf("%d starts, then %d", len(before), len(after))
	}
}

func TestGuardEndsWithItsContext(t *testing.T) {
	hub := newHub(t)
	lock := helmLock(hub)
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- KeepRunning(ctx, hub) }()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-eventually.Context(t).Done():
		t.Error("the guard ignores that it shall end")
	}
}

// TestApart starts a program with a systemd-run that only records its arguments.
func TestApart(t *testing.T) {
	dir := t.TempDir()
	path := os.Getenv("PATH")
	fake := filepath.Join(dir, "systemd-run")
	write := func(script string) {
		if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+path)
	write("exit 1\n")
	if got := scopeCommand(context.Background()); got != nil {
		t.Errorf("no user manager: %q", got)
	}
	write(`echo "$@" >>` + dir + "/calls\nwhile [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"\n")
	got := scopeCommand(context.Background())
	if len(got) == 0 || got[0] != "systemd-run" {
		t.Fatalf("apart: %q", got)
	}
	hub := guarded(t)
	if _, err := startHelm(hub, "run", got...); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "helm runs", one(hub, "run", 0))
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil || !strings.Contains(string(calls), "--user --scope") || !strings.Contains(string(calls), "helm run") {
		t.Errorf("systemd-run was called with\n%s%v", calls, err)
	}
}

func TestEnvironmentHasNoSecrets(t *testing.T) {
	got := environment([]string{"HOME=/h", "ANTHROPIC_API_KEY=sk-secret", "PATH=/bin", "XDG_RUNTIME_DIR=/run", "LC_ALL=C", "GITHUB_TOKEN=x"})
	if want := "HOME=/h PATH=/bin XDG_RUNTIME_DIR=/run LC_ALL=C"; strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
	here, err := os.Getwd() // helm has another working directory
	if got := environment([]string{"OCAPTAIN_HOME=a/../b"}); err != nil || len(got) != 1 || got[0] != "OCAPTAIN_HOME="+filepath.Join(here, "b") {
		t.Errorf("got %q, %v", got, err)
	}
}
