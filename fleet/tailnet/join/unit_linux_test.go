package join_test

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
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

// verify has systemd itself read units, which it takes without a word.
func verify(t *testing.T, units ...string) {
	t.Helper()
	out, err := exec.Command("systemd-analyze", append([]string{"verify", "--man=no"}, units...)...).CombinedOutput()
	for line := range strings.SplitSeq(string(out), "\n") {
		if strings.Contains(line, "ocaptain-") {
			t.Error(line)
		}
	}
	if err != nil {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}

// TestSystemd has a ship's services looked after: what is killed comes back without an order, and so does all after a restart of
// the machine. What leaves is gone.
func TestSystemd(t *testing.T) {
	lab, shelf, mine := tailnettest.Start(t, ""), tailnettest.NewShelf(t), signer(t)
	captain := lab.Join(t, "laptop")
	for _, how := range []string{"root", "sudo", "linger"} {
		t.Run(how, func(t *testing.T) {
			home, dir := ship(t), standIn(t)
			t.Cleanup(join.Machine(dir, home, how != "root"))
			at, as := unitsOf(dir), "\nUser="+strconv.Itoa(os.Getuid())+"\n"
			if how == "linger" {
				at, as = userUnits(), ""
				lingers(t, dir)
			}
			o := order(lab, shelf, mine)
			o.Key = "any"
			a, err := obey(t, home, o)
			if err != nil {
				t.Fatal(err)
			}
			units, _ := filepath.Glob(filepath.Join(at, "ocaptain-*.service"))
			enabled, _ := filepath.Glob(filepath.Join(at, "wants/ocaptain-*.service"))
			if len(units) != 2 || len(enabled) != 2 {
				t.Fatalf("units %s, enabled %s", units, enabled)
			}
			verify(t, units...)
			for _, u := range units {
				if raw, err := os.ReadFile(u); err != nil || !strings.Contains(string(raw), as) || as == "" && strings.Contains(string(raw), "User=") {
					t.Errorf("%v\n%s", err, raw)
				}
			}
			way := &tailnet.Net{Socket: captain.Daemon.Socket}
			login(t, way, a, mine)

			if how == "root" {
				outlives(t, home, dir, units, way, a, mine)
			}
			o.Key = ""
			if again, err := obey(t, home, o); err != nil || again != a {
				t.Errorf("again: %+v, %v, and was %+v", again, err, a)
			}
			leave(t, home)
			for _, place := range []string{"ocaptain-*", "wants/ocaptain-*"} {
				if left, _ := filepath.Glob(filepath.Join(at, place)); len(left) > 0 {
					t.Errorf("left: %s", left)
				}
			}
		})
	}
}

// outlives kills what a ship runs, and then all of its machine, which boots again. Either time it comes back.
func outlives(t *testing.T, home, dir string, units []string, way *tailnet.Net, a join.Answer, mine ssh.Signer) {
	t.Helper()
	for _, u := range units {
		raw, err := os.ReadFile(filepath.Join(dir, filepath.Base(u)+".pid"))
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(string(raw))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	comesBack(t, way, a, mine)
	end(t, home)
	for _, u := range units {
		if out, err := exec.Command("systemctl", "restart", filepath.Base(u)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	comesBack(t, way, a, mine)
}

// lingers makes it a machine without root, whose user's services run when he is not there.
func lingers(t *testing.T, dir string) {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "var/lib/systemd/linger", u.Username), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin/sudo"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// comesBack waits until the ship's door answers over the tailnet, and logs in.
func comesBack(t *testing.T, way *tailnet.Net, a join.Answer, mine ssh.Signer) {
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
				break
			}
		}
		if time.Now().After(until) {
			t.Fatalf("it does not come back: %v", err)
		}
	}
	login(t, way, a, mine)
}

// TestSomebodysMachine leaves no service on a machine where the ship's home is just a directory.
func TestSomebodysMachine(t *testing.T) {
	lab, shelf, home, dir := tailnettest.Start(t, ""), tailnettest.NewShelf(t), ship(t), standIn(t)
	t.Cleanup(join.Machine(dir, "/home/somebody", false))
	o := order(lab, shelf, signer(t))
	if a, err := obey(t, home, o); err != nil || !a.NeedsKey {
		t.Fatalf("%+v, %v", a, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "etc/systemd/system/ocaptain-*")); len(left) > 0 {
		t.Errorf("services: %s", left)
	}
}

// TestBrokenSystemd begins everything by hand where systemd is there and of no use, and leaves no service.
func TestBrokenSystemd(t *testing.T) {
	lab, shelf, home, dir := tailnettest.Start(t, ""), tailnettest.NewShelf(t), ship(t), standIn(t)
	t.Cleanup(join.Machine(dir, home, false))
	if err := os.WriteFile(filepath.Join(dir, "bin/systemctl"), []byte("#!/bin/sh\necho Failed to connect to bus >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := order(lab, shelf, signer(t))
	o.Key = "any"
	if a, err := obey(t, home, o); err != nil || a.Node == "" {
		t.Fatalf("%+v, %v", a, err)
	}
	if left, _ := filepath.Glob(filepath.Join(unitsOf(dir), "ocaptain-*")); len(left) > 0 {
		t.Errorf("services: %s", left)
	}
	leave(t, home)
}

// TestKernelUnit is the unit of a tailscaled with a tunnel, with a path that needs care.
func TestKernelUnit(t *testing.T) {
	home := t.TempDir()
	text, err := join.KernelUnit(home, tailnettest.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ocaptain-tailscaled-0.service")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	verify(t, file)
	for _, want := range []string{"\nType=notify\n", "\nRestart=always\n", "\nExecStopPost=", `/a $$HOME %% \"b\" \\c"`, "\nWantedBy=multi-user.target\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "User=") {
		t.Errorf("root is needed:\n%s", text)
	}
}
