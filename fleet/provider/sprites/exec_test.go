package sprites

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// TestExec runs commands while a text message reports the end of each too early, as the service does.
func TestExec(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := spritestest.Start(t, spritestest.Options{Exe: exe, Args: []string{"door-for-test"}})
	f.Add("ship-0")
	token := f.Token()
	p := New(Options{Credentials: func() (Credentials, error) { return Credentials{Token: token, URL: f.URL}, nil }})
	t.Cleanup(p.Close)
	for _, c := range []struct {
		name, script string
		misdeed      spritestest.Misdeed
		times        int
		out, fails   string
	}{
		{name: "output", script: "printf one; printf two", out: "onetwo"},
		{name: "much output", script: "head -c 60000 /dev/zero | tr '\\0' x", out: strings.Repeat("x", 60000)},
		{name: "too much", script: "head -c 70000 /dev/zero | tr '\\0' x", fails: "prints more than"},
		{name: "failure", script: "echo oh >&2; exit 3", fails: "exit 3: oh"},
		{name: "told in text alone", script: "exit 4", misdeed: spritestest.EarlyExit, times: 1, fails: "exit 4"},
		{name: "last output lost", script: "echo one; sleep 0.1; echo two", misdeed: spritestest.EarlyExit, times: 1, out: "one\ntwo\n"},
		{name: "lost and run again", script: "echo again", misdeed: spritestest.NoExit, times: 3, out: "again\n"},
		{name: "lost for good", script: "echo never", misdeed: spritestest.NoExit, times: attempts, fails: "cannot be reached"},
		{name: "no code", script: "echo what", misdeed: spritestest.BareExit, times: 1, out: "what\n"},
		{name: "over at once", script: "echo quick", misdeed: spritestest.FastPath, times: 1, out: "quick\n"},
		{name: "over at once and cut off", script: "head -c 70000 /dev/zero", misdeed: spritestest.FastPath, times: 1, fails: "cut off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.times > 0 {
				f.Plan(spritestest.Fault{Path: "/v1/sprites/*/exec", Times: c.times, Misdeed: c.misdeed})
			}
			ctx := eventually.Context(t)
			out, err := p.runCommand(ctx, "ship-0", "bash", "-c", c.script)
			if out != c.out || c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Errorf("got %.100q, %v", out, err)
			}
			if f.Left() > 0 {
				t.Errorf("%d misdeeds did not happen", f.Left())
			}
		})
	}
	ctx := eventually.Brief(t, 500*time.Millisecond)
	if _, err := p.runCommand(ctx, "ship-0", "sleep", "60"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
