package cli

import (
	"encoding/json"
	"net/http"
	"path"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
)

// A single question without an answer does not count against a helm that has just started. When helm answers that it cannot run the
// voyage, the voyage counts as unattended since helm started, however old the board is.
func TestReadAfterRestart(t *testing.T) {
	for name, answers := range map[string]bool{"answers the second time": true, "refuses": false} {
		t.Run(name, func(t *testing.T) {
			b, _ := testBridge(t, 80)
			d, err := b.voyage("")
			if err != nil {
				t.Fatal(err)
			}
			board, err := fleet.ReadBoard(d)
			if err != nil {
				t.Fatal(err)
			}
			began, asked := b.now().Add(-time.Second), 0
			serveHelm(t, b.hub, func(w http.ResponseWriter, r *http.Request) {
				answer := json.NewEncoder(w)
				switch asked++; {
				case path.Base(r.URL.Path) == "hello":
					_ = answer.Encode(api.Hello{PID: 1, Since: began})
				case !answers:
					api.WriteError(w, api.Refused("its directory is gone"))
				case asked == 2:
					panic(http.ErrAbortHandler)
				default:
					_ = answer.Encode(board)
				}
			})
			v, err := b.read(t.Context(), d)
			if err != nil || v.Stale == answers {
				t.Errorf("it reads %+v, %v", v, err)
			}
			if !answers && (!v.seen.Equal(began) || v.Known.Equal(began)) {
				t.Errorf("away since %s, known since %s", v.seen, v.Known)
			}
		})
	}
}
