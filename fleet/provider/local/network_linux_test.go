package local_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks/eventually"
)

// withoutLandlock is an environment variable of ships whose kernel has to look as if it had no Landlock.
const withoutLandlock = "WITHOUT_LANDLOCK"

func init() {
	roles["connect-for-test"] = connectForTest
	if os.Getenv(withoutLandlock) != "" {
		forgetLandlock()
	}
}

// forgetLandlock makes the kernel look as if it had no Landlock.
func forgetLandlock() (undo func()) {
	real := sshd.Landlock
	sshd.Landlock = func(*unix.LandlockRulesetAttr, uintptr, uintptr) (int, unix.Errno) { return -1, unix.ENOSYS }
	return func() { sshd.Landlock = real }
}

const greeting = "hello from the captain"

// connectForTest runs on a ship and prints what answers at an address.
func connectForTest() error {
	c, err := net.DialTimeout(os.Args[2], os.Args[3], time.Second)
	if err != nil {
		return err
	}
	_ = c.SetDeadline(time.Now().Add(time.Second)) //nolint:forbidigo // an attacker has no test; what is there answers at once
	_, _ = io.WriteString(c, "hello?")
	b := make([]byte, len(greeting))
	_, err = io.ReadAtLeast(c, b, 1)
	fmt.Println(string(b))
	return err
}

// greet starts a server at an address of this machine that sends a greeting, and returns its address.
func greet(t *testing.T, network, addr string) string {
	t.Helper()
	if network == "udp" {
		c, err := net.ListenPacket(network, addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		go func() {
			for b := make([]byte, 9); ; {
				_, from, err := c.ReadFrom(b)
				if err != nil {
					return
				}
				_, _ = c.WriteTo([]byte(greeting), from)
			}
		}()
		return c.LocalAddr().String()
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			go func() {
				_, _ = io.WriteString(c, greeting)
				_, _ = io.Copy(io.Discard, c) // read everything, as the end would otherwise be a reset
				c.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// reaches reports whether a ship gets an answer from the captain's program at an address.
func (s *ship) reaches(network, addr string) bool {
	s.t.Helper()
	return strings.Contains(s.sh(`/run/ocaptain connect-for-test "$@"`, network, addr), greeting)
}

func portOf(addr string) (port string) {
	_, port, _ = net.SplitHostPort(addr)
	return port
}

// everywhere returns the addresses of this machine and of gateways at which a program answers that listens at all
// addresses.
func everywhere(t *testing.T, four, six string) map[string][2]string {
	t.Helper()
	all := map[string][2]string{
		"loopback":        {"tcp", "127.0.0.1:" + four},
		"loopback's rest": {"tcp", "127.9.9.9:" + four},
		"any":             {"tcp", "0.0.0.0:" + four},
		"mapped":          {"tcp", "[::ffff:127.0.0.1]:" + four},
		"loopback, IPv6":  {"tcp", "[::1]:" + six},
		"any, IPv6":       {"tcp", "[::]:" + six},
		"pasta's names":   {"tcp", "169.254.1.53:" + four},
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			ip := a.(*net.IPNet).IP
			switch {
			case ip.To4() != nil:
				all[ip.String()] = [2]string{"tcp", net.JoinHostPort(ip.String(), four)}
			case ip.IsLinkLocalUnicast():
				all[ip.String()] = [2]string{"tcp", net.JoinHostPort(ip.String()+"%"+i.Name, six)}
			default:
				all[ip.String()] = [2]string{"tcp", net.JoinHostPort(ip.String(), six)}
			}
		}
	}
	b, _ := os.ReadFile("/proc/net/route")
	for line := range strings.Lines(string(b)) {
		var gateway [4]byte
		if f := strings.Fields(line); len(f) > 2 && f[1] == "00000000" {
			if _, err := fmt.Sscanf(f[2], "%02X%02X%02X%02X", &gateway[3], &gateway[2], &gateway[1], &gateway[0]); err == nil {
				all["the gateway"] = [2]string{"tcp", net.JoinHostPort(net.IP(gateway[:]).String(), four)}
			}
		}
	}
	return all
}

// A ship reaches no server on this machine except the servers that are exposed to it.
func TestNetworkOfItsOwn(t *testing.T) { eachCaptain(t, attackNetwork) }

func attackNetwork(t *testing.T) {
	four, six := portOf(greet(t, "tcp4", "0.0.0.0:0")), portOf(greet(t, "tcp6", "[::]:0"))
	abstract := fmt.Sprintf("@ocaptain-test-%d", os.Getpid())
	greet(t, "unix", abstract)
	exposed := greet(t, "tcp", "127.0.0.1:0")
	o := options(t, local.Always)
	o.Expose = func() ([]int, error) {
		var port int
		_, err := fmt.Sscan(portOf(exposed), &port)
		return []int{port, port}, err
	}
	s := newShip(t, o)
	if s.machine.Note != "" {
		t.Fatalf("noted: %s", s.machine.Note)
	}
	closed := everywhere(t, four, six)
	closed["abstract"] = [2]string{"unix", abstract}
	closed["UDP"] = [2]string{"udp", greet(t, "udp", "127.0.0.1:0")}
	for what, to := range closed {
		if s.reaches(to[0], to[1]) {
			t.Errorf("it reaches %s: %s", what, to[1])
		}
	}
	if !s.reaches("tcp", exposed) {
		t.Error("it does not reach the exposed port")
	}
	if got := s.sh(`cut -f 2 /proc/net/route | grep -c 00000000`); got == "0" {
		t.Error("it has no way out")
	}
	// The ship cannot change that.
	if got := s.sh(`ip rule del pref 1; ip -6 rule del pref 1; ip link set lo down; unshare -rn true; echo done`); !strings.Contains(got, "done") || s.reaches("tcp", closed["loopback"][1]) {
		t.Errorf("it changed its network: %s", got)
	}
	for what, to := range closed {
		if s.reaches(to[0], to[1]) {
			t.Errorf("it reaches %s afterwards: %s", what, to[1])
		}
	}

	// It cannot reach another ship either.
	spec, signer := newSpec(t, "ship-1")
	m, err := s.provider.Create(soon(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.provider.Destroy(soon(t), "ship-1") })
	other := &ship{t: t, provider: s.provider, options: o, machine: m, config: linkConfig(s.provider, m, signer)}
	other.connect()
	if one, two := s.sh("readlink /proc/self/ns/net"), other.sh("readlink /proc/self/ns/net"); one == two {
		t.Errorf("both are in %s", one)
	}
}

// carriers returns the shells that keep pasta running for a ship.
func (s *ship) carriers(space string) (found []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/fd/4")
	for _, fd := range all {
		var pid int
		to, _ := os.Readlink(fd)
		command, _ := os.ReadFile(strings.TrimSuffix(fd, "fd/4") + "cmdline")
		if _, err := fmt.Sscanf(fd, "/proc/%d/", &pid); err == nil && to == space && strings.HasPrefix(string(command), "/bin/sh") {
			found = append(found, pid)
		}
	}
	return found
}

// pastas returns the children of those shells that are pasta.
func pastas(shells []int) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		var pid, parent int
		var state string
		b, _ := os.ReadFile(name)
		before, after, _ := strings.Cut(string(b), ") ")
		_, _ = fmt.Sscan(after, &state, &parent)
		if _, err := fmt.Sscanf(before, "%d (pas", &pid); err == nil && slices.Contains(shells, parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// The programs that carry a ship's network end with the ship. If they die before, they are started again.
func TestNetworkIsMended(t *testing.T) { eachCaptain(t, mendNetwork) }

func mendNetwork(t *testing.T) {
	s := newShip(t, options(t, local.Always))
	space := s.sh("readlink /proc/self/ns/net")
	six := portOf(greet(t, "tcp6", "[::]:0"))
	way := func() bool { return s.sh(`cut -f 2 /proc/net/route | grep -c 00000000`) != "0" }
	if !way() {
		t.Fatal("it has no network")
	}
	first := pastas(s.carriers(space))
	if len(first) != 1 {
		t.Fatalf("%d of pasta", len(first))
	}
	_ = syscall.Kill(first[0], syscall.SIGKILL)
	eventually.Holds(t, "another pasta runs", func() bool {
		now := pastas(s.carriers(space))
		return len(now) == 1 && now[0] != first[0]
	})
	eventually.Holds(t, "it has its network again", way)
	for what, to := range everywhere(t, "1", six) {
		if s.reaches(to[0], to[1]) {
			t.Errorf("it reaches %s: %s", what, to[1])
		}
	}
	s.destroy()
	eventually.Holds(t, "nothing is left of its network", func() bool { return len(s.carriers(space)) == 0 })
}

// without puts a program first in PATH that fails with why.
func without(t *testing.T, program, why string) {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, program), "#!/bin/sh\necho '"+why+"' >&2\nexit 1\n", 0o755)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func shareNetwork(t *testing.T) {
	path := os.Getenv("PATH")
	abstract := fmt.Sprintf("@ocaptain-test-shared-%d", os.Getpid())
	greet(t, "unix", abstract)
	addr := greet(t, "tcp", "127.0.0.1:0")
	for name, kernel := range map[string]bool{"this kernel": true, "a kernel without Landlock": false} {
		t.Run(name, func(t *testing.T) {
			o := options(t, local.Always)
			private := newShip(t, o)
			without(t, "pasta", "External interface not usable")

			o = options(t, local.Always)
			if !kernel {
				o.Env = map[string]string{withoutLandlock: "1"}
				defer forgetLandlock()()
			}
			s := newShip(t, o)
			if want := "shares this machine's network: pasta does not work here: External interface not usable"; !strings.HasPrefix(s.machine.Note, want) || strings.Contains(s.machine.Note, "abstract") == sshd.ScopesAbstract() {
				t.Errorf("noted: %q", s.machine.Note)
			}
			if !s.reaches("tcp", addr) {
				t.Error("it has no network")
			}
			if s.reaches("unix", abstract) == sshd.ScopesAbstract() {
				t.Errorf("abstract sockets: %v", !sshd.ScopesAbstract())
			}

			killServer(t, private.options, private.machine)
			if _, err := private.provider.Ensure(soon(t), "ship-0"); err == nil || !strings.Contains(err.Error(), "cannot give it a network of its own") {
				t.Errorf("ensured: %v", err)
			}
			if m, err := private.provider.Get(soon(t), "ship-0"); err != nil || m.State != provider.Stopped {
				t.Errorf("%+v, %v", m, err)
			}
			t.Setenv("PATH", path)
			if m, err := private.provider.Ensure(soon(t), "ship-0"); err != nil || m.Note != "" {
				t.Errorf("%+v, %v", m, err)
			}
			// When the programs exist again, the other ship gets its network.
			killServer(t, o, s.machine)
			if m, err := s.provider.Ensure(soon(t), "ship-0"); err != nil || m.Note != "" {
				t.Errorf("%+v, %v", m, err)
			}
		})
	}
}

func TestExposeUnreadable(t *testing.T) {
	o := options(t, local.IfPossible)
	o.Expose = func() ([]int, error) { return nil, errors.New("config.yaml:3: what is this?") }
	p := newProvider(t, o)
	spec, _ := newSpec(t, "ship-0")
	if _, err := p.Create(soon(t), spec); err == nil || !strings.Contains(err.Error(), "config.yaml:3") {
		t.Errorf("got %v", err)
	}
	if err := p.Destroy(soon(t), "ship-0"); err != nil {
		t.Error(err)
	}
}

// If a process is killed while it makes a ship's network, no process is left.
func TestCreateKilledWhileTheNetworkIsMade(t *testing.T) { eachCaptain(t, killWhileNetworkIsMade) }

func killWhileNetworkIsMade(t *testing.T) {
	real, err := exec.LookPath("pasta")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	writeFile(t, filepath.Join(dir, "pasta"), "#!/bin/sh\necho $$ >>"+pids+"\nsleep 1000 & wait\nexec "+real+" \"$@\"\n", 0o755)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	o := options(t, local.Always)
	p := newProvider(t, o)
	spec, _ := newSpec(t, "ship-0")
	creating := beginCreate(t, o, spec)
	eventually.Holds(t, "pasta is run", func() bool { b, _ := os.ReadFile(pids); return len(b) > 0 })
	_ = creating.Process.Kill()
	_ = creating.Wait()
	eventually.Holds(t, "nothing runs", func() bool {
		b, _ := os.ReadFile(pids)
		for pid := range strings.FieldsSeq(string(b)) {
			if _, err := os.Stat("/proc/" + pid); err == nil {
				return false
			}
		}
		m, _ := p.Get(soon(t), "ship-0")
		return len(processesOf(t, o, m)) == 0
	})
	if err := p.Destroy(soon(t), "ship-0"); err != nil {
		t.Error(err)
	}
}
