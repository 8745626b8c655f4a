package local_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/providertest"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
)

// roles are other programs that this binary can be, by its first argument.
var roles = map[string]func() error{}

// attackRole makes this binary an attacker's program, which prints what it gets access to.
const attackRole = "attack-for-test"

// The ships of these tests run this binary as their SSH server.
func TestMain(m *testing.M) {
	var role func() error
	switch word := os.Args[min(1, len(os.Args)-1)]; word {
	case "serve-for-test":
		role = func() error { return local.Serve(context.Background()) }
	case "create-for-test":
		role = createForTest
	case attackRole:
		if !strings.HasPrefix(os.Args[2], "-test.") {
			role = func() error { return attack(os.Args[2:]) }
			break
		}
		os.Args = append(os.Args[:1], os.Args[2:]...)
		os.Exit(m.Run())
	default:
		if role = roles[word]; role == nil {
			goleak.VerifyTestMain(m)
		}
	}
	if err := role(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// options returns options with directories for this test only, with a short path for sockets.
func options(t testing.TB, confine local.Confine) local.Options {
	t.Helper()
	slottest.Take(t, 1)
	runtime, err := os.MkdirTemp("/tmp", "oc-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(runtime) })
	return local.Options{
		Root:    filepath.Join(t.TempDir(), "ships"),
		Runtime: runtime,
		Args:    []string{"serve-for-test"},
		Confine: confine,
	}
}

func newProvider(t testing.TB, o local.Options) *local.Provider {
	t.Helper()
	p, err := local.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestContract(t *testing.T) {
	for name, confine := range map[string]local.Confine{"confined": local.Always, "unconfined": local.Never} {
		t.Run(name, func(t *testing.T) {
			providertest.Run(t, func(t *testing.T) *providertest.Subject {
				o := options(t, confine)
				return &providertest.Subject{
					Provider:  newProvider(t, o),
					Again:     func() provider.Provider { return newProvider(t, o) },
					Kill:      func(m provider.Machine) { killServer(t, o, m) },
					Leftovers: func(m provider.Machine) []string { return leftovers(t, o, m) },
				}
			})
		})
	}
}

// killServer kills a ship's SSH server without telling the provider.
func killServer(t testing.TB, o local.Options, m provider.Machine) {
	t.Helper()
	for _, pid := range processesOf(t, o, m) {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if bytes.Contains(command, []byte("serve-for-test")) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	eventually.Holds(t, "the ship is dead", func() bool {
		got, err := newProvider(t, o).Get(context.Background(), m.Name)
		return err == nil && got.State == provider.Stopped
	})
}

// processesOf finds the processes of a ship by their environment, working directory, program and command line.
func processesOf(t testing.TB, o local.Options, m provider.Machine) []int {
	t.Helper()
	dir, runtime := filepath.Join(o.Root, m.Name), filepath.Join(o.Runtime, m.ID)
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, proc := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(proc))
		if pid == os.Getpid() {
			continue
		}
		stat, _ := os.ReadFile(proc + "/stat")
		if i := bytes.LastIndexByte(stat, ')'); i < 0 || bytes.HasPrefix(stat[i+1:], []byte(" Z")) {
			continue
		}
		environ, _ := os.ReadFile(proc + "/environ")
		command, _ := os.ReadFile(proc + "/cmdline")
		if len(command) == 0 { // its memory is freed, and the kernel is about to end it
			continue
		}
		cwd, _ := os.Readlink(proc + "/cwd")
		all := strings.Join([]string{string(environ), string(command), cwd}, "\x00")
		if strings.Contains(all, dir) || strings.Contains(all, runtime) {
			found = append(found, pid)
		}
	}
	return found
}

func leftovers(t testing.TB, o local.Options, m provider.Machine) []string {
	t.Helper()
	var left []string
	for _, pid := range processesOf(t, o, m) {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		left = append(left, fmt.Sprintf("process %d: %q", pid, command))
	}
	for _, file := range []string{
		filepath.Join(o.Root, m.Name), filepath.Join(o.Runtime, m.ID), filepath.Join(o.Runtime, m.ID+".ssh"), filepath.Join(o.Root, ".locks", m.Name),
	} {
		if _, err := os.Lstat(file); err == nil {
			left = append(left, file)
		}
	}
	// Threads of an ended process close their files a moment later.
	eventually.Holds(t, "no socket is left", func() bool {
		sockets, _ := os.ReadFile("/proc/net/unix")
		return !bytes.Contains(sockets, []byte(filepath.Join(o.Runtime, m.ID)))
	})
	return left
}
