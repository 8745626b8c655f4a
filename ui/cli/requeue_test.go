package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/private/privatetest"
)

// TestRequeueAll requeues the tasks that are on hold, and no others.
func TestRequeueAll(t *testing.T) {
	t.Cleanup(privatetest.Runtime())
	for _, c := range []struct {
		held   []string
		asked  []api.RequeueRequest
		prints string
	}{
		{nil, nil, "no task is on hold\n"},
		{
			[]string{"5", "7"},
			[]api.RequeueRequest{{Task: "5", Reason: "there is a key now"}, {Task: "7", Reason: "there is a key now"}},
			"task 5 is off hold; it can be claimed again\ntask 7 is off hold; it can be claimed again\n",
		},
	} {
		b, out := testBridge(t, 80)
		b.lasting = t.Context()
		_, board := loadTest(t, b)
		for i := range board.Tasks {
			board.Tasks[i].OnHold = slices.Contains(c.held, board.Tasks[i].ID)
		}
		asked := helmThatRequeues(t, b.hub, board)
		root := newRoot(b)
		root.SetArgs([]string{"requeue", "--all", "--voyage", testVoyage, "--reason", "there is a key now"})
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := asked(); !slices.Equal(got, c.asked) {
			t.Errorf("on hold %v: helm is asked for %+v", c.held, got)
		}
		if out.String() != c.prints {
			t.Errorf("on hold %v: it prints %q", c.held, out)
		}
	}
}

// helmThatRequeues answers requests as helm does; asked returns the requeue requests that it got.
func helmThatRequeues(t *testing.T, h fleet.Hub, board fleet.Board) (asked func() []api.RequeueRequest) {
	t.Helper()
	requests := make(chan api.RequeueRequest, 100)
	serveHelm(t, h, func(w http.ResponseWriter, r *http.Request) {
		answer := json.NewEncoder(w)
		_, action, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/voyages/"), "/")
		switch {
		case r.URL.Path == "/v1/hello":
			_ = answer.Encode(api.Hello{API: api.API, Made: time.Now().Add(time.Hour), PID: os.Getpid()})
		case action == "board":
			_ = answer.Encode(board)
		case action == "requeue":
			var request api.RequeueRequest
			_ = json.NewDecoder(r.Body).Decode(&request)
			requests <- request
			_ = answer.Encode(api.Requeued{OnHold: true})
		default:
			api.WriteError(w, api.NotFound("%s", r.URL.Path))
		}
	})
	return func() (all []api.RequeueRequest) {
		for len(requests) > 0 {
			all = append(all, <-requests)
		}
		return all
	}
}
