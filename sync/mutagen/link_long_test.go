//go:build long

package mutagen

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/tasks/eventually"
)

const slowVar = "OCAPTAIN_TEST_SLOW"

// init makes the test binary a relay to an SSH server with 1 Mbit/s if slowVar is set.
func init() {
	config := os.Getenv(slowVar)
	if config == "" {
		return
	}
	server := exec.Command("/usr/sbin/sshd", "-i", "-f", config)
	in, err := server.StdinPipe()
	if err == nil {
		var out io.Reader
		if out, err = server.StdoutPipe(); err == nil {
			err = server.Start()
			go func() { _ = errors.Join(crawl(in, os.Stdin), in.Close()) }()
			_ = crawl(os.Stdout, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = server.Wait()
	os.Exit(0)
}

// crawl copies with 125 KB per second.
func crawl(to io.Writer, from io.Reader) error {
	piece := make([]byte, 1250)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			time.Sleep(10 * time.Millisecond)
			if _, err := to.Write(piece[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// crawls makes Mutagen reach a host over the slow link from now on.
func (p *pair) crawls(host Host, home string) {
	p.Helper()
	host.Proxy = []string{"env", slowVar + "=" + host.Proxy[len(host.Proxy)-1], os.Args[0]}
	if err := p.h.AddHost(host); err != nil {
		p.Fatal(err)
	}
	killAll(p.T, home, syscall.SIGKILL)
	p.flush()
}

// TestSlowLink: a large file on a slow link arrives and does not delay other ships.
func TestSlowLink(t *testing.T) {
	h := open(t)
	hub, homes := t.TempDir(), []string{short(t), short(t)}
	var ships []*pair
	for i, home := range homes {
		host := sshd(t, h, fmt.Sprintf("ship-%d.voyage-1", i), home)
		spec := Spec{Mode: TwoWay, A: Endpoint{Path: hub}, B: Endpoint{Host: host.Name, Path: filepath.Join(home, "work")}, Labels: map[string]string{"ocaptain.ship": fmt.Sprint("ship-", i)}}
		ships = append(ships, h.pair(t, spec)) // installs the agent there
		if i == 0 {
			ships[0].crawls(host, home)
		}
	}
	large := make([]byte, 3<<20)
	_, _ = rand.Read(large) // never fails
	put(t, hub, map[string]string{"large": string(large)})
	at := func(i int, name string) string {
		raw, _ := os.ReadFile(filepath.Join(ships[i].spec.B.Path, name))
		return string(raw)
	}
	eventually.Holds(t, "it is on its way", func() bool { return strings.HasPrefix(ships[0].state().Status, "staging") })
	put(t, ships[1].spec.B.Path, map[string]string{"small": "1"})
	ships[1].flush()
	has(t, hub, map[string]string{"small": "1"})
	if at(1, "large") != string(large) || at(0, "large") != "" {
		t.Errorf("%d bytes are on the fast ship, %d on the slow", len(at(1, "large")), len(at(0, "large")))
	}
	ships[0].flush()
	if at(0, "large") != string(large) || at(0, "small") != "1" {
		t.Errorf("%d bytes have come", len(at(0, "large")))
	}
}

// TestHalfOpen: Mutagen gives up a connection that neither answers nor ends, and a new one transfers the changes.
func TestHalfOpen(t *testing.T) {
	h := open(t)
	home := short(t)
	host := sshd(t, h, "ship-0.voyage-1", home)
	spec := local(t)
	spec.B = Endpoint{Host: host.Name, Path: filepath.Join(home, "work")}
	p := h.pair(t, spec)
	config := host.Proxy[len(host.Proxy)-1]
	p.crawls(host, home)
	servers := 0
	for _, relay := range processes(t, slowVar+"="+config) {
		for _, pid := range descendants(relay) { // the relay still runs, but transfers nothing
			kill(t, pid, syscall.SIGSTOP)
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			servers++
		}
	}
	if servers == 0 {
		t.Fatal("no SSH server runs")
	}
	put(t, p.spec.A.Path, map[string]string{"x": "1"})
	put(t, p.spec.B.Path, map[string]string{"y": "2"})
	p.flush() // succeeds once Mutagen has given up the old connection
	has(t, p.spec.B.Path, map[string]string{"x": "1"})
	has(t, p.spec.A.Path, map[string]string{"y": "2"})
}

// descendants returns the child processes of a process, their children and so on.
func descendants(pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		raw, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(raw)) {
			child, _ := strconv.Atoi(word)
			all = append(append(all, child), descendants(child)...)
		}
	}
	return all
}

// TestSleep: all processes on both sides are stopped while files change, then continued.
func TestSleep(t *testing.T) {
	h := open(t)
	home := short(t)
	p := h.pair(t, far(t, h, home))
	all := append(processes(t, "HOME="+home), processes(t, "MUTAGEN_DATA_DIRECTORY="+h.dir)...)
	for _, pid := range all {
		kill(t, pid, syscall.SIGSTOP)
	}
	put(t, p.spec.A.Path, map[string]string{"x": "1", "both": "hub"})
	put(t, p.spec.B.Path, map[string]string{"y": "2", "both": "ship"})
	for _, pid := range all {
		kill(t, pid, syscall.SIGCONT)
	}
	p.flush()
	has(t, p.spec.B.Path, map[string]string{"x": "1", "both": "ship"})
	has(t, p.spec.A.Path, map[string]string{"y": "2", "both": "hub"})
	if s := p.state(); s.CountConflicts() != 1 {
		t.Errorf("%+v", s)
	}
}

// TestUpgrade: Open ends a daemon of another version, and the new daemon continues its sessions.
func TestUpgrade(t *testing.T) {
	h := open(t)
	home := short(t)
	p := h.pair(t, far(t, h, home))
	before := daemon(t, h)
	if err := os.WriteFile(filepath.Join(h.dir, "program"), []byte("/usr/bin/mutagen 0.17.0"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(home, ".mutagen", "agents")); err != nil { // an agent of another version
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), h.program, h.dir); err != nil {
		t.Fatal(err)
	}
	put(t, p.spec.B.Path, map[string]string{"x": "1"})
	p.flush()
	has(t, p.spec.A.Path, map[string]string{"x": "1"})
	if now := daemon(t, h); now == before {
		t.Errorf("the daemon is still %d", now)
	}
}
