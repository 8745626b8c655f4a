package join_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/join"
	"ocaptain/fleet/tailnet/tailnettest"
)

// services are a ship's on a machine that systemd runs.
type services struct {
	account
	own    bool   // of the account's own systemd
	kernel bool   // asked for
	note   string // part of what the captain is told
	answer join.Answer
	work   string // process that a session began
}

// tunnel tells whether it has one.
func (s *services) tunnel() bool { return s.kernel && s.note == "" }

// berths are the ships of one machine, and what they are told.
type berths struct {
	*machine
	way   *tailnet.Net
	mine  ssh.Signer
	order join.Order
	ships []*services
}

func way(n *tailnettest.Node) *tailnet.Net { return &tailnet.Net{Socket: n.Daemon.Socket} }

func unitOf(name string, s *services) string {
	return "ocaptain-" + name + "-" + strconv.Itoa(s.id) + ".service"
}

// obey gives a ship the order.
func (b *berths) obey(t *testing.T, s *services) join.Answer {
	t.Helper()
	o := b.order
	o.Host = "voyage-1-" + s.name
	if s.kernel {
		o.Mode = tailnet.Kernel
	}
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := b.as(ctx, s.account, "/opt/bin/ocaptain", "aboard", "tailnet")
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(raw), &said
	out, err := cmd.Output()
	var a join.Answer
	if err == nil && !o.Leave {
		err = json.Unmarshal(out, &a)
	}
	if err != nil || !strings.Contains(a.Note, s.note) || (a.Note == "") != (s.note == "") {
		t.Fatalf("%s: %+v, %v: %s\n%s", s.name, a, err, said.String(), b.run(t, superuser, "journalctl", "--no-pager", "--lines=100"))
	}
	return a
}

// ctl asks the systemd of a ship's services.
func (b *berths) ctl(t *testing.T, s *services, args ...string) string {
	t.Helper()
	if s.own {
		return b.run(t, s.account, append([]string{"env", "XDG_RUNTIME_DIR=/run/user/" + strconv.Itoa(s.id), "systemctl", "--user"}, args...)...)
	}
	return b.run(t, superuser, append([]string{"systemctl"}, args...)...)
}

// pid is the process of a ship's service, "0" for none.
func (b *berths) pid(t *testing.T, s *services, name string) string {
	t.Helper()
	return b.ctl(t, s, "show", "--property=MainPID", "--value", unitOf(name, s))
}

func (b *berths) do(t *testing.T, s *services, command string) string {
	t.Helper()
	return do(t, b.way, s.answer, b.mine, command)
}

// looked asserts that systemd looks after a ship's services, by the account that each is to have, and that the ship is as it
// should be.
func (b *berths) looked(t *testing.T, s *services) {
	t.Helper()
	for _, name := range []string{"tailscaled", "door"} {
		unit, owner := unitOf(name, s), strconv.Itoa(s.id)
		if s.tunnel() && name == "tailscaled" {
			owner = "0"
		}
		if state := b.ctl(t, s, "show", "--property=UnitFileState,ActiveState", unit); !strings.Contains(state, "UnitFileState=enabled") || !strings.Contains(state, "ActiveState=active") {
			t.Errorf("%s is %q", unit, state)
		}
		if got := b.run(t, superuser, "ps", "-o", "uid=", "-p", b.pid(t, s, name)); got != owner {
			t.Errorf("%s is run by %s", unit, got)
		}
	}
	if out := b.do(t, s, "echo $HOME $USER $(id -G)"); out != strings.Join([]string{s.home, s.name, b.run(t, s.account, "id", "-G")}, " ") {
		t.Errorf("a session of %s is %q", s.name, out)
	}
	if _, err := net.InterfaceByName("ocaptain0"); s.tunnel() && (err != nil || len(rules(t)) == 0) {
		t.Errorf("its tunnel: %v, and %d routing rules", err, len(rules(t)))
	}
	if again := b.obey(t, s); again != s.answer {
		t.Errorf("again: %+v, and was %+v", again, s.answer)
	}
}

// back waits until a ship is as it was.
func (b *berths) back(t *testing.T, s *services) {
	t.Helper()
	comesBack(t, b.way, s.answer)
	b.looked(t, s)
}

// comesBack waits until a ship's door answers over the tailnet.
func comesBack(t *testing.T, way *tailnet.Net, a join.Answer) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		conn, err := way.Dial(ctx, a.IP, a.Port)
		cancel()
		if err == nil {
			_ = conn.SetDeadline(time.Now().Add(3 * time.Second))
			greeting := make([]byte, 4)
			_, err = conn.Read(greeting)
			conn.Close()
			if err == nil && string(greeting) == "SSH-" {
				return
			}
		}
		if time.Now().After(until) {
			t.Fatalf("it does not come back: %v", err)
		}
	}
}

// rules are the priorities of routing rules as Tailscale makes them.
func rules(t *testing.T) []uint32 {
	t.Helper()
	raw, err := syscall.NetlinkRIB(syscall.RTM_GETRULE, syscall.AF_UNSPEC)
	if err != nil {
		t.Fatal(err)
	}
	all, err := syscall.ParseNetlinkMessage(raw)
	if err != nil {
		t.Fatal(err)
	}
	var found []uint32
	for _, m := range all {
		const header, priority = 12, 6 // struct fib_rule_hdr, FRA_PRIORITY
		for at := header; at+8 <= len(m.Data); {
			size, kind := binary.NativeEndian.Uint16(m.Data[at:]), binary.NativeEndian.Uint16(m.Data[at+2:])
			if n := binary.NativeEndian.Uint32(m.Data[at+4:]); kind == priority && 5200 <= n && n < 5300 {
				found = append(found, n)
			}
			at += max(int(size)+3, 4) &^ 3
		}
	}
	return found
}
