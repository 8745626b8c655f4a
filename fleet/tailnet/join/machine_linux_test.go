package join_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// search is where a machine's programs are.
const search = "/opt/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"

// A machine is one that systemd runs, in namespaces: with processes, files and control groups of its own, a read-only
// /usr, and the network of the test. Its disk lasts over restarts.
type machine struct {
	disk   string
	groups string // directory of its control group
	cmd    *exec.Cmd
	said   bytes.Buffer
	gone   chan struct{} // closed when it has ended
}

// account is one on a machine.
type account struct {
	name, home string
	id         int
}

var (
	superuser = account{"root", "/root", 0}
	mate      = account{"mate", "/home/mate", 1000}     // may do all by sudo
	pilot     = account{"pilot", "/home/pilot", 1001}   // so may he
	sailor    = account{"sailor", "/home/sailor", 1002} // has services of his own that linger
)

// controlGroup makes a control group of the second version, which is gone at the end of the test.
func controlGroup(t *testing.T) string {
	t.Helper()
	all := mounted(t, "cgroup2")
	raw, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	_, own, _ := strings.Cut("\n"+string(raw), "\n0::")
	own, _, _ = strings.Cut(own, "\n")
	dir := filepath.Join(all, own, fmt.Sprintf("%s-%d", ours, os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatalf("no control group for a machine with systemd: %v", err)
	}
	t.Cleanup(func() {
		var dirs []string
		_ = filepath.WalkDir(dir, func(name string, e os.DirEntry, _ error) error {
			if e != nil && e.IsDir() {
				dirs = append(dirs, name)
			}
			return nil
		})
		for _, d := range slices.Backward(dirs) {
			if err := os.Remove(d); err != nil {
				t.Error(err)
			}
		}
	})
	return dir
}

// on boots the machine and returns when systemd says that all has begun.
func (m *machine) on(t *testing.T) {
	t.Helper()
	groups, err := os.Open(m.groups)
	if err != nil {
		t.Fatal(err)
	}
	defer groups.Close()
	ready, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: "@" + ours, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer ready.Close()
	m.said.Reset()
	m.cmd = exec.Command("/proc/self/exe", pid1, m.disk)
	m.cmd.Env = append(os.Environ(), "NOTIFY_SOCKET=@"+ours)
	m.cmd.Stdout, m.cmd.Stderr = &m.said, &m.said
	m.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:   syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
		Unshareflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWCGROUP,
		UseCgroupFD:  true, CgroupFD: int(groups.Fd()), Pdeathsig: syscall.SIGKILL, Setsid: true,
	}
	if err := m.cmd.Start(); err != nil {
		t.Fatalf("no namespaces for a machine with systemd: %v", err)
	}
	cmd, gone := m.cmd, make(chan struct{})
	m.gone = gone
	go func() { _ = cmd.Wait(); ready.Close(); close(gone) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-gone })
	_ = ready.SetReadDeadline(time.Now().Add(time.Minute))
	for b := make([]byte, 4096); ; {
		n, err := ready.Read(b)
		if err != nil {
			_ = cmd.Process.Kill()
			<-gone
			t.Fatalf("systemd does not boot: %v\n%s", err, m.said.String())
		}
		if slices.Contains(strings.Split(string(b[:n]), "\n"), "READY=1") {
			return
		}
	}
}

// root is where the machine's files are seen while it is on.
func (m *machine) root() string {
	return filepath.Join("/proc", strconv.Itoa(m.cmd.Process.Pid), "root")
}

// ended waits until the machine is off, and tells by what signal: one that restarts hangs up.
func (m *machine) ended(t *testing.T) syscall.Signal {
	t.Helper()
	select {
	case <-m.gone:
	case <-time.After(time.Minute):
		t.Fatal("the machine does not end")
	}
	status, _ := m.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return status.Signal()
}

// as is a command that an account of the machine's runs.
func (m *machine) as(ctx context.Context, a account, argv ...string) *exec.Cmd {
	id := strconv.Itoa(a.id)
	cmd := exec.CommandContext(ctx, "nsenter", append([]string{
		"--target=" + strconv.Itoa(m.cmd.Process.Pid), "--mount", "--uts", "--ipc", "--pid", "--cgroup", "--",
		"setpriv", "--reuid=" + id, "--regid=" + id, "--init-groups", "--",
		"env", "--ignore-environment", "--chdir=" + a.home, "HOME=" + a.home, "USER=" + a.name, "PATH=" + search, "LANG=C.UTF-8",
		"GORACE=atexit_sleep_ms=0", // a second, else
	}, argv...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal of its own gets to the test
	return cmd
}

// run runs one and returns what it prints.
func (m *machine) run(t *testing.T, a account, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := m.as(ctx, a, argv...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s, %s: %v\n%s%s", a.name, argv, err, out, said.String())
	}
	return strings.TrimSpace(string(out))
}
