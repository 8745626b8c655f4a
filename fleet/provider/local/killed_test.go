package local_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks/eventually"
)

// slowBubblewrap puts a bubblewrap first in PATH that once runs a line of shell, when its arguments match words. The
// line may wait at "$fifo".
func slowBubblewrap(t *testing.T, words, line string) (fifo string) {
	t.Helper()
	real, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fifo = filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "bwrap"), fmt.Sprintf("#!/bin/sh\nfifo=%s\ncase \" $* \" in %s)\n%s\n;; esac\nexec %s \"$@\"\n", fifo, words, line, real), 0o755)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return fifo
}

// opened waits until somebody reads the fifo. The reader waits until the returned file is closed.
func opened(t *testing.T, fifo string) *os.File {
	t.Helper()
	var f *os.File
	eventually.Holds(t, "somebody reads "+fifo, func() (ok bool) {
		var err error
		f, err = os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return err == nil
	})
	return f
}

const (
	probes = "*--info-fd*) ;; *" // bubblewrap is called to test whether it works
	starts = "*--info-fd*"       // bubblewrap is called to start the ship's server
)

// If a process that makes a ship is killed, the bubblewrap that it has started ends by itself, and with the ship.
func TestCreateKilledWhileTheWallIsBuilt(t *testing.T) {
	for moment, words := range map[string]string{"probes": probes, "starts": starts} {
		for _, destroyed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, destroyed %v", moment, destroyed), func(t *testing.T) {
				fifo := slowBubblewrap(t, words, `read _ <"$fifo"`)
				o := options(t, local.Always)
				p := newProvider(t, o)
				spec, _ := newSpec(t, "ship-0")
				creating := beginCreate(t, o, spec)
				waiting := opened(t, fifo)
				_ = creating.Process.Kill()
				_ = creating.Wait()
				m, err := p.Get(soon(t), "ship-0")
				if err != nil {
					t.Fatal(err)
				}
				s := &ship{t: t, provider: p, options: o, machine: m}
				if !destroyed {
					waiting.Close()
					eventually.Holds(t, "nothing runs", func() bool { return len(processesOf(t, o, m)) == 0 })
				}
				s.destroy()
				waiting.Close()
			})
		}
	}
}

// Bubblewrap has two processes: both end when a start is cancelled.
func TestCreateCancelledWhileTheWallIsBuilt(t *testing.T) {
	fifo := slowBubblewrap(t, starts, `sleep 1000 & read _ <"$fifo"`)
	o := options(t, local.Always)
	p := newProvider(t, o)
	spec, _ := newSpec(t, "ship-0")
	ctx, cancel := context.WithCancel(soon(t))
	created := make(chan error, 1)
	go func() {
		_, err := p.Create(ctx, spec)
		created <- err
	}()
	defer opened(t, fifo).Close()
	cancel()
	if err := <-created; err == nil {
		t.Error("it was created")
	}
	eventually.Holds(t, "nothing runs", func() bool {
		return len(processesOf(t, o, provider.Machine{Name: "ship-0", ID: "none"})) == 0
	})
	if err := p.Destroy(soon(t), "ship-0"); err != nil {
		t.Error(err)
	}
}
