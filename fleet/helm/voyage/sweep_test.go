package voyage

import (
	"context"
	"slices"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
)

func namesOf(all []machines.Orphan) []string {
	var out []string
	for _, o := range all {
		out = append(out, o.Provider+"/"+o.Name)
	}
	slices.Sort(out)
	return out
}

// look asks what no voyage has.
func look(t *testing.T, h *Set, which ...string) api.Sweep {
	t.Helper()
	if len(which) == 0 {
		which = install.Asked(h.Hub, h.Machines)
	}
	found, err := h.Sweeper.Find(context.Background(), which, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// account collects what is reported.
type account struct {
	mu  gosync.Mutex
	all []api.Progress
}

func (l *account) report(p api.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, p)
}

func (l *account) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, p := range l.all {
		b.WriteString(p.Ship + " " + p.Step + " " + p.State + " " + p.Text + "\n")
	}
	return b.String()
}
