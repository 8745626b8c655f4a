package dispatcher

import (
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/wake"
)

// A worker that commits nothing is told so. The states of workers are in a log, whose older part is moved to another file.
func TestWatch(t *testing.T) {
	d, at := fleet.Dir(t.TempDir()), time.Now()
	told := 0
	w := NewWatch(WatchOptions{
		Core:  &core.Core{Dir: d, Info: fleet.Voyage{Check: 30 * time.Minute}, Paint: wake.New()},
		Awake: func(time.Time) time.Time { return at },
		Seen: func(time.Time) []pool.Seen {
			return []pool.Seen{{Name: "kite-1", Status: fleet.Working, Task: "1", Works: true, Copied: true}}
		},
		Tell: func(string) { told++ },
	})
	w.Change(func(is *pool.Watch) { is.Begins("kite-1", at) })
	look := func(from, until int) {
		for minute := from; minute <= until; minute++ {
			w.Look(at.Add(time.Duration(minute) * time.Minute))
		}
	}
	look(0, 65)
	raw, err := os.ReadFile(d.StatusLog())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if told != 2 || w.Of("kite-1").Nudges != 2 || len(lines) != 2 || lines[0] != at.Add(30*time.Minute).UTC().Format(time.RFC3339)+" kite-1 working dispatch 1" {
		t.Errorf("it is told %d times, and the log says %q", told, lines)
	}
	if err := os.WriteFile(d.StatusLog(), make([]byte, maxLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	look(66, 90)
	if info, err := os.Stat(d.StatusLog()); err != nil || info.Size() > 100 {
		t.Errorf("the log is %v, %v", info, err)
	}
	if info, err := os.Stat(d.StatusLog() + ".1"); err != nil || info.Size() != maxLog+1 {
		t.Errorf("the one before is %v, %v", info, err)
	}
}
