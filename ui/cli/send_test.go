package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/private/privatetest"
)

// A message to the coordinator of a session becomes an epic, once the captain has confirmed.
func TestSendToCoordinator(t *testing.T) {
	t.Cleanup(privatetest.Runtime())
	for _, c := range []struct {
		kind fleet.Kind
		args []string
		code int
		text string // text of the epic
	}{
		{fleet.Session, nil, Refused, ""},
		{fleet.Session, []string{"--yes"}, OK, "Sell kites, too"},
		{"", []string{"--yes"}, NotFound, ""},
	} {
		b, _ := testBridge(t, 80)
		b.lasting = t.Context()
		_, board := loadTest(t, b)
		board.Voyage.Kind = c.kind
		asked := ""
		serveHelm(t, b.hub, func(w http.ResponseWriter, r *http.Request) {
			answer := json.NewEncoder(w)
			_, action, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/voyages/"), "/")
			switch {
			case r.URL.Path == "/v1/hello":
				_ = answer.Encode(api.Hello{API: api.API, Made: time.Now().Add(time.Hour), PID: os.Getpid()})
			case action == "board":
				_ = answer.Encode(board)
			case action == "epics":
				var request api.EpicRequest
				_ = json.NewDecoder(r.Body).Decode(&request)
				asked = request.Text
				_ = answer.Encode(api.EpicAdded{Task: "9"})
			default:
				api.WriteError(w, api.NotFound("%s", r.URL.Path))
			}
		})
		root := newRoot(b)
		root.SetArgs(append([]string{"send", "--voyage", testVoyage, fleet.Coordinator, "Sell kites, too\n"}, c.args...))
		if err := root.ExecuteContext(t.Context()); exitCode(err) != c.code || asked != c.text {
			t.Errorf("%q with %q: %v; asked for %q", c.kind, c.args, err, asked)
		}
	}
}
