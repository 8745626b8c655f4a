package voyages

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// put writes the board of a voyage.
func put(t *testing.T, hub fleet.Hub, b *fleet.Board) {
	t.Helper()
	d := fleet.Dir(filepath.Join(hub.Voyages, b.Voyage.ID))
	for path, v := range map[string]any{d.Voyage(): b.Voyage, d.FleetFile(): fleet.Fleet{Phase: b.Phase}, d.BoardFile(): b} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A voyage that needs the captain stands out among the others, and a stuck one is not called sailing.
func TestNeedsOfOtherVoyages(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	hub := fleet.Hub{Voyages: t.TempDir()}
	task := tasks.State{Task: tasks.Task{ID: "1", Status: tasks.Pending}}
	for id, b := range map[string]fleet.Board{
		"voyage-000000000001": {Phase: fleet.Sailing},
		"voyage-000000000002": {Phase: fleet.Sailing},
		"voyage-000000000003": {Phase: fleet.Complete},
	} {
		b.Voyage = fleet.Voyage{ID: id, Name: "of " + id, CreatedAt: now.Add(-time.Hour)}
		b.Ships = []fleet.ShipView{{Ship: fleet.Ship{Name: "ship-0", Phase: fleet.Afloat}}}
		task.OnHold = id == "voyage-000000000002"
		b.Tasks = []tasks.State{task}
		put(t, hub, &b)
	}
	rows, err := List(hub)
	if err != nil {
		t.Fatal(err)
	}
	sides := map[string]string{}
	for _, r := range rows {
		sides[r.Dir.ID()] = r.Side(now)
	}
	for id, want := range map[string]string{
		"voyage-000000000001": "● sailing · 1 ship",
		"voyage-000000000002": "▲ 1 needs you · ▲ stuck · 1 ship",
		"voyage-000000000003": "✓ complete",
	} {
		if !strings.HasPrefix(sides[id], want) {
			t.Errorf("%s is %q, want %q", id, sides[id], want)
		}
	}
}

// The list distinguishes a pool from a voyage, and shows the name of the pool.
func TestPoolAmongVoyages(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	hub := fleet.Hub{Voyages: t.TempDir()}
	for i, v := range []fleet.Voyage{
		{Name: "kite", Prompt: "Let it fly"},
		{Prompt: "Let it fly"},
		{Kind: fleet.Pool, Name: "kite", Prompt: "Pool of kite"},
	} {
		v.ID, v.CreatedAt = fmt.Sprintf("voyage-00000000000%d", i), now.Add(-time.Hour)
		put(t, hub, &fleet.Board{Voyage: v, Phase: fleet.Sailing, Ships: []fleet.ShipView{{Ship: fleet.Ship{Name: "kite-1"}}}})
	}
	rows, err := List(hub)
	if err != nil {
		t.Fatal(err)
	}
	var is []string
	for _, r := range rows {
		of := strings.Split(r.Side(now), " · ")
		is = append(is, r.Name()+", "+of[1])
	}
	if want := []string{"pool kite, 1 worker", "Let it fly, 1 ship", "kite, 1 ship"}; !slices.Equal(is, want) {
		t.Errorf("%q, want %q", is, want)
	}
}
