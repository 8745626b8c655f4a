package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/need"
	"ocaptain/fleet/private/privatetest"
)

// Each command that a need suggests exists, and names the voyage and the ship or task of the need, also while there is
// another voyage.
func TestCuresAreCommands(t *testing.T) {
	t.Cleanup(privatetest.Runtime())
	const other = "voyage-0a1b2c3d4e60"
	b, out := testBridge(t, 0)
	b.lasting = t.Context()
	was := b.hub.Voyages
	b.hub.Voyages = t.TempDir()
	boards := map[string]fleet.Board{}
	for _, id := range []string{testVoyage, other} {
		d := fleet.Dir(filepath.Join(b.hub.Voyages, id))
		if err := os.CopyFS(string(d), os.DirFS(filepath.Join(was, testVoyage))); err != nil {
			t.Fatal(err)
		}
		board, err := fleet.ReadBoard(d)
		if err != nil {
			t.Fatal(err)
		}
		board.Voyage.ID = id
		board.Steering = []fleet.Steering{{Task: "4", Ship: "ship-1", Word: fleet.Waits}}
		board.Proposals = []fleet.Proposal{{ID: 1, Ship: "ship-1", Text: "add"}}
		writeJSON(t, d.BoardFile(), board)
		writeJSON(t, d.Voyage(), board.Voyage)
		boards[id] = board
	}
	asked := helmThatTells(t, b, boards)

	for _, row := range strings.Split(strings.TrimSpace(need.Table()), "\n")[2:] {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		do, _, _ := strings.Cut(cells[3], ": ")
		one := need.Need{Kind: fleet.NeedKind(cells[0]), Voyage: other, Ships: []string{"ship-1"}, Task: "4", Number: 1, Do: need.Remedy(do)}
		several, none, agreed := one, one, one
		agreed.Do = need.DoAccept
		several.Tasks = []string{"4", "5"}
		none.Ships, none.Task = nil, ""
		needs := []need.Need{one}
		switch one.Do {
		case need.DoRequeue:
			needs = append(needs, several)
		case need.DoVerify:
			needs = append(needs, agreed)
		case need.DoSink:
			needs = append(needs, none)
		}
		for _, n := range needs {
			command := n.Do.Command(&n)
			out.Reset()
			b.in = strings.NewReader("Go on.\n")
			b.live = true
			root := newRoot(b)
			root.SetArgs(strings.Fields(command)[1:])
			if code := exitCode(root.ExecuteContext(t.Context())); code == Usage || code == NotFound && !strings.Contains(out.String(), "there is no snapshot of ship-1 yet") {
				t.Errorf("%s: %s ends with %d and says %s", n.Kind, command, code, out)
			}
			about := asked()
			if slices.Contains(about, testVoyage) || strings.Contains(command, other) && !slices.Contains(about, other) {
				t.Errorf("%s: %s is about %v: %s", n.Kind, command, about, out)
			}
		}
	}
}

// helmThatTells answers requests as helm does; asked returns the voyages that it was asked for.
func helmThatTells(t *testing.T, b *bridge, boards map[string]fleet.Board) (asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	serveHelm(t, b.hub, func(w http.ResponseWriter, r *http.Request) {
		answer := json.NewEncoder(w)
		of, isOfVoyage := strings.CutPrefix(r.URL.Path, "/v1/voyages/")
		id, action, _ := strings.Cut(of, "/")
		if isOfVoyage {
			mu.Lock()
			all = append(all, id)
			mu.Unlock()
		}
		switch {
		case r.URL.Path == "/v1/hello":
			_ = answer.Encode(api.Hello{API: api.API, Made: time.Now().Add(time.Hour), PID: os.Getpid()})
		case r.URL.Path == "/v1/orphans/known":
			_ = answer.Encode([]int{})
		case action == "board" || action == "look":
			_ = answer.Encode(boards[id])
		default:
			_ = answer.Encode(api.Progress{Done: true})
		}
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		was := all
		all = nil
		return was
	}
}
