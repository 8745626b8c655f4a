package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/tasks/eventually"
)

// attackFork starts processes until no more can be started, also in a nested user namespace if that is allowed, and
// prints how many there are.
func attackFork() error {
	_ = unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
	for n := 0; ; n++ {
		cmd := exec.Command("sleep", "1000")
		if n%2 == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
		}
		err := cmd.Start()
		if n%2 == 0 && errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
			continue // no namespace could be made
		}
		if err != nil {
			fmt.Println(n, err)
			return nil
		}
	}
}

// attackThreads blocks threads until the process ends because it gets no more.
func attackThreads() error {
	for {
		go func() {
			runtime.LockOSThread()
			select {}
		}()
		runtime.Gosched()
	}
}

// attackMemory allocates 64 MB at a time, and prints how many.
func attackMemory() error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("0"), 0)
	var all [][]byte
	for n := 1; n <= 64; n++ {
		b := make([]byte, 64<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		all = append(all, b)
		fmt.Println(n)
	}
	runtime.KeepAlive(all)
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// few sets limits that attacks soon reach.
func few(o local.Options) local.Options {
	o.Bounds = func() (sandbox.Bounds, error) { return sandbox.Bounds{Processes: 150, Memory: 512 << 20}, nil }
	return o
}

func attackForks(t *testing.T) {
	s, other := newShip(t, few(options(t, local.Always))), newShip(t, few(options(t, local.Always)))
	for _, what := range []string{"threads", "fork"} {
		got := s.sh(`/run/ocaptain "$1" "$2" 2>&1 | head -n 100`, attackRole, what)
		if n := len(processesOf(t, s.options, s.machine)); n > 150+64 {
			t.Errorf("%s: %d processes", what, n)
		}
		if what == "threads" && !strings.Contains(got, "newosproc") && !strings.Contains(got, "pthread_create failed") {
			t.Errorf("%s: %s", what, got)
		}
		if what == "fork" && !strings.Contains(got, "resource temporarily unavailable") {
			t.Errorf("%s: %s", what, got)
		}
	}
	s.sh(`(while sleep 1000 </dev/null >/dev/null 2>&1 & do :; done)`) // after the attacks and their threads have ended
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	said := make(chan string)
	for range 8 {
		go func() {
			r, err := s.Run(ctx, link.Command{Argv: []string{"sleep", "1000"}})
			said <- fmt.Sprint(r.Stderr, err)
		}()
	}
	if got := <-said; !strings.Contains(got, "as many processes as it may have") {
		t.Errorf("nothing says why nothing starts: %q", got)
	}
	cancel()
	for range 7 {
		<-said
	}
	if got := other.sh("echo still here | cat"); got != "still here" {
		t.Errorf("another ship: %q", got)
	}
	if out, err := exec.Command("true").CombinedOutput(); err != nil {
		t.Errorf("the captain starts nothing: %s, %v", out, err)
	}
	other.destroy()
	s.destroy()
}

func attackMemories(t *testing.T) {
	o := few(options(t, local.Always))
	most, means, why, err := newProvider(t, o).Bounds(soon(t))
	if err != nil || most.Memory != 512<<20 || (means == "") != (why != nil) {
		t.Fatalf("%v, %q, %v, %v", most, means, why, err)
	}
	s := newShip(t, o)
	if got := s.sh("cat /proc/self/oom_score_adj"); got != "500" {
		t.Errorf("the kernel ends others as soon as this ship: %s", got)
	}
	if why != nil {
		if os.Getuid() == 0 || why.Error() != "systemd does not run here" {
			t.Fatalf("nothing here bounds memory, so this cannot be tried: %v", why)
		}
		s.destroy()
		return
	}
	other := newShip(t, few(options(t, local.Always)))
	ctx := eventually.Context(t)
	r, err := s.Run(ctx, link.Command{Argv: []string{"/run/ocaptain", attackRole, "memory"}})
	if n := strings.Count(string(r.Stdout), "\n"); n > 9 || err == nil {
		t.Errorf("it took %d × 64 MB: %v", n, err)
	}
	for _, s := range []*ship{s, other} {
		if got := s.sh("echo still here"); got != "still here" {
			t.Errorf("a ship: %q", got)
		}
		s.destroy()
		for _, above := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/memory"} {
			if left := filepath.Join(above, "ocaptain-"+s.machine.ID); exists(left) {
				t.Errorf("left behind: %s", left)
			}
		}
	}
}
