package voyage

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks/eventually"
)

// fittedLog returns what a ship's log says of its fitting out: "step state" of each line.
func fittedLog(t *testing.T, d fleet.Dir, ship string) (steps []string, text string) {
	t.Helper()
	l, err := shiplog.Open(d.LogFile(ship))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	raw, err := os.ReadFile(d.LogFile(ship))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var one fleet.LogLine
		var step fleet.FitStep
		if jsonInto(t, line, &one); one.IsProvisioning() {
			jsonInto(t, string(one.Data), &step)
			steps = append(steps, strings.TrimSpace(step.Step+" "+step.State))
			text += one.Text + "\n"
		}
	}
	return steps, text
}

// cutOnce is a connection that breaks after so many bytes to the ship.
type cutOnce struct {
	net.Conn
	left *atomic.Int64
}

func (c cutOnce) Write(p []byte) (int, error) {
	n := int64(len(p))
	if after := c.left.Add(-n); after <= 0 && after+n > 0 {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// shaky is a provider whose creates fail twice, whose connections break once, and whose machines
// lack tmux.
type shaky struct {
	provider.Provider
	creates atomic.Int64
	left    atomic.Int64 // bytes until a connection breaks
}

func (s *shaky) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	if s.creates.Add(1) <= 2 {
		return provider.Machine{}, &provider.Temporary{Err: errors.New("slow down"), After: 10 * time.Millisecond}
	}
	return s.Provider.Create(ctx, spec)
}

func (s *shaky) Dial(ctx context.Context, m provider.Machine) (net.Conn, error) {
	c, err := s.Provider.Dial(ctx, m)
	if err != nil {
		return nil, err
	}
	return cutOnce{c, &s.left}, nil
}

// TestFittingOutIsRetried provisions a ship. Creating it fails twice, tmux must be installed, and
// the connection breaks in the middle of a file: its log tells so.
func TestFittingOutIsRetried(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	bin := filepath.Join(hub.Home, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	tools, _ := filepath.Glob("/usr/bin/*")
	for _, tool := range tools {
		if name := filepath.Base(tool); name != "tmux" && name != "apt-get" && name != "dpkg" {
			_ = os.Symlink(tool, filepath.Join(bin, name)) // programs of the same name are as good
		}
	}
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"id":      "echo 0",
		"apt-get": "case \" $* \" in *' install -y tmux '*) ln -s " + tmux + " " + bin + "/tmux; echo Setting up tmux, with sk-SECRET-key;; esac",
	} {
		path := filepath.Join(bin, name)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) { // a link to the one of this machine
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	boxes, err := local.New(local.Options{
		Root: filepath.Join(hub.Home, "elsewhere"), Exe: helmtest.Program, Args: []string{"aboard", "sshd"}, Confine: local.Never, Env: map[string]string{"PATH": bin},
	})
	if err != nil {
		t.Fatal(err)
	}
	far := &shaky{Provider: boxes}
	far.left.Store(1 << 20) // in the middle of the program that is brought aboard
	h := startHelm(t, hub)
	fromHosts(h, far)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "hosts"}, "#!/bin/sh\n", helmtest.Task("1", "sleep 600"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	var said []string
	err = v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 1, Secrets: map[string]string{"KEY": "sk-SECRET-key"}}, func(p api.Progress) {
		if strings.Contains(p.Text, "tried again") {
			said = append(said, p.Step+" "+p.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"start", "create start", "create retry", "create retry", "create note", "create done", "reach start", "reach done", "look start", "look done",
		"tools start", "tools output", "tools done", "aboard start", "aboard retry", "aboard done", "orders start", "orders done",
		"clone start", "clone done", "agent start", "agent done", "launch start", "launch done", "done",
	}
	steps, text := fittedLog(t, d, "ship-0")
	if strings.Join(steps, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log tells of %q\n%s", steps, text)
	}
	if !strings.Contains(text, "Setting up tmux, with [secret]") || strings.Contains(text, "SECRET") || !strings.Contains(text, "slow down") {
		t.Errorf("the log says\n%s", text)
	}
	if len(said) != 3 || !strings.HasPrefix(said[0], "create is tried again in ") || !strings.HasPrefix(said[2], "aboard is tried again in ") {
		t.Errorf("the captain is told %q", said)
	}
	eventually.Holds(t, "the agent works", func() bool { return v.Store.Snapshot().Held("ship-0") != nil })
}

// TestFailureExplainsItself has a step fail for good: it is not tried again, and what its program
// printed is kept with the ship, also when helm has ended.
func TestFailureExplainsItself(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	tries := 0
	fromHosts(h, elsewhere{Provider: another(t, hub), create: func(context.Context, provider.Spec) (provider.Machine, error) {
		tries++
		return provider.Machine{}, errors.New("no room for more")
	}})
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "hosts"}, "#!/bin/sh\n", helmtest.Task("1", "sleep 600"))
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err == nil || tries != 1 {
		t.Fatalf("tried %d times: %v", tries, err)
	}
	steps, text := fittedLog(t, d, "ship-0")
	if got := strings.Join(steps, ", "); got != "start, create start, create failed, failed" || !strings.Contains(text, "no room for more") {
		t.Errorf("the log tells of %s:\n%q", got, text)
	}
	h.Close()
	again := startHelm(t, hub)
	sinkAfter(t, again, d)
	_ = openIt(t, again, d)
	if after, _ := fittedLog(t, d, "ship-0"); len(after) != len(steps) {
		t.Errorf("after helm's end: %v", after)
	}
}

func jsonInto(t *testing.T, raw string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), v); err != nil {
		t.Fatalf("%v: %q", err, raw)
	}
}
