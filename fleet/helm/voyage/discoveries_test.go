package voyage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestPlannerIsToldDiscoveries has a planner claim an epic: it is told what was found before that fits and holds, unless the
// captain wants no search, or none of them.
func TestPlannerIsToldDiscoveries(t *testing.T) {
	for name, c := range map[string]struct {
		info fleet.Voyage
		told bool
	}{
		"search":         {fleet.Voyage{AgentTools: fleet.AgentTools{Search: true}}, true},
		"without search": {fleet.Voyage{}, false},
		"forgetful":      {fleet.Voyage{AgentTools: fleet.AgentTools{Search: true}, SessionSpec: fleet.SessionSpec{Forgetful: true}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := startHelm(t, helmtest.Hub(t))
			epic, err := tasks.NewEpic(planned(`{"tasks": [{"title": "Count walruses", "run": "echo a >a"}]}`), nil, 2)
			if err != nil {
				t.Fatal(err)
			}
			epic.ID = "1"
			c.info.Kind = fleet.Session
			d := helmtest.Voyage(t, h.Hub, c.info, "#!/bin/sh\nexit 0\n", epic)
			sinkAfter(t, h, d)
			dir := filepath.Join(d.Workspace(), "docs/discoveries/2026-11")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{
				"holds.md": "---\ntype: gotcha\n---\n\nWalruses are counted twice.\nIn winter.\n",
				"stale.md": "---\ntype: pattern\nfiles: [gone]\n---\n\nWalruses swim.\n",
				"other.md": "---\ntype: pattern\n---\n\nZebras swim.\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			git(t, d, "add", "-A")
			git(t, d, "commit", "-q", "-m", "found")
			v := openIt(t, h, d)
			if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
				t.Fatal(err)
			}
			eventually.Holds(t, "it is verified", v.is(fleet.Complete))
			raw, err := os.ReadFile(d.LogFile("planner-0"))
			if err != nil {
				t.Fatal(err)
			}
			logs := string(raw)
			if told := strings.Contains(logs, `docs/discoveries/2026-11/holds.md (gotcha): Walruses are counted twice.`); told != c.told {
				t.Errorf("told %t:\n%s", told, logs)
			}
			if strings.Contains(logs, "stale.md") || strings.Contains(logs, "other.md") || strings.Contains(logs, "In winter") {
				t.Errorf("it is told too much:\n%s", logs)
			}
		})
	}
}
