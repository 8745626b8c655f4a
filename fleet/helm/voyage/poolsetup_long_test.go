//go:build long

package voyage

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// TestPoolSetup has the repository's setup script run before the work. Where it fails or hangs, that dispatch is on hold with
// the last lines; a dispatch without such a script is done, and so is the first once the cause is gone.
func TestPoolSetup(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	h.setupTime = 3 * time.Second
	d, plain := newPool(t, hub, "")
	sinkAfter(t, h, d)
	fails := withSetup(t, d, "test -e ~/cured && exit 0; echo no such package >&2; exit 3")
	hangs := withSetup(t, d, "trap '' TERM HUP INT; exec 9>~/held; flock 9; while :; do sleep 1; done")
	works := withSetup(t, d, "echo set >set")
	v := openIt(t, h, d)
	for i, base := range []string{fails, hangs, works, plain, works} {
		v.puts(t, order(base, fmt.Sprintf("cp set seen 2>/dev/null; echo %d >did", i), 1))
	}
	eventually.Holds(t, "three are done", func() bool { return v.done("3")() && v.done("4")() && v.done("5")() })
	for id, want := range map[string]string{"1": "exit code 3\nno such package\nLook at it with: ", "2": "did not end within 3s"} {
		if is := v.state(id); !is.OnHold || !strings.Contains(is.Reason, want) {
			t.Errorf("dispatch %s: %+v", id, is)
		}
	}
	for _, id := range []string{"3", "5"} { // what the script adds is there, and belongs to no work
		if files := git(t, d, "show", "--format=", "--name-only", v.state(id).Commit); files != "did\nseen" {
			t.Errorf("the work %s is %q", id, files)
		}
	}
	held := flock.New(filepath.Join(homeOf(t, v, "kite-1"), "held"))
	defer held.Close()
	eventually.Holds(t, "the script that hung is gone", func() bool { ok, _ := held.TryLock(); return ok })
	writeFile(t, homeOf(t, v, "kite-1"), "cured", "")
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "1"}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the first is done", v.done("1"))
}
