package dash

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks/eventually"
)

// asked is a request that a stand-in for helm got.
type asked struct {
	path string
	api.DispatchRequest
}

// answering returns a client of a stand-in for helm that gives the same answer to everything, and a channel with the
// requests.
func answering(t *testing.T, answer api.Dispatched) (*api.Client, <-chan asked) {
	t.Helper()
	runtime, err := fleet.RuntimeDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(runtime) })
	hub := fleet.Hub{Runtime: runtime}
	listener, err := net.Listen("unix", api.Socket(hub))
	if err != nil {
		t.Fatal(err)
	}
	calls := make(chan asked, 100)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stays(w, r) {
			return
		}
		call := asked{path: r.URL.Path}
		_ = json.NewDecoder(r.Body).Decode(&call.DispatchRequest) // a request may have no body
		calls <- call
		_ = json.NewEncoder(w).Encode(answer)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return api.NewClient(hub), calls
}

// Without a voyage, p asks for a command. The pool of the working directory is made, helm gets the command as it was
// written, and a message says what happens to it.
func TestDispatch(t *testing.T) {
	for name, tt := range map[string]struct {
		answer api.Dispatched
		says   string
	}{
		"a worker has it": {api.Dispatched{Task: "7", Worker: "kite-2"}, "kite-2 does dispatch 7"},
		"it waits":        {api.Dispatched{Task: "7", Place: 2, Coming: []string{"kite-3"}}, "dispatch 7 waits, place 2; kite-3 is"},
		"it is paused":    {api.Dispatched{Task: "7", Place: 1, Paused: []string{"kite-2"}, Why: "paused by you"}, "kite-2 is"},
	} {
		t.Run(name, func(t *testing.T) {
			client, calls := answering(t, tt.answer)
			s := setStage(t, 120, 35, nil, nil, func(o *Options) {
				o.Yard.Cwd = filepath.Join(o.Yard.Cwd, "kite")
				o.Yard.Environ = append(o.Yard.Environ, "OCAPTAIN_AGENT=script", "OCAPTAIN_PROVIDER=local")
				o.Yard.Helm = func(context.Context) (*api.Client, error) { return client, nil }
				o.Helm = o.Yard.Helm // the dashboard asks helm as soon as the pool exists
				if _, err := origin.Prepare(t.Context(), o.Yard.Cwd, "", "main", origin.Options{}); err != nil {
					t.Fatal(err)
				}
			})
			s.press("p")
			s.until("it has looked around", func() bool { return strings.Contains(s.text(), "makes pool kite and its first worker") })
			s.press("ctrl+s")
			s.shows("the command is empty")
			s.do(tea.PasteMsg{Content: "fix the auth bug"})
			s.press("enter", "x", "ctrl+s")
			s.until("it is said", func() bool { return strings.Contains(s.text(), tt.says) })
			got := <-calls
			for !strings.HasSuffix(got.path, "/dispatch") { // skips the questions whether helm runs
				got = <-calls
			}
			if got.Dispatch.Command != "fix the auth bug\nx" || got.Dispatch.Worker != "" || got.Dispatch.Base == "" || got.Workers != 4 {
				t.Errorf("helm got %+v", got)
			}
			s.until("the pool is shown", func() bool { return s.m.v != nil && len(s.m.dialogs) == 0 })
		})
	}
}

// A worker is drained and removed when the captain confirms.
func TestDrainAndRemove(t *testing.T) {
	for action, want := range map[string]string{"drain": "/ships/kite-1/drain", "remove": "/ships/kite-1/remove"} {
		client, calls := answering(t, api.Dispatched{})
		s := setStage(t, 120, 35, aPool(), nil, nil)
		s.press(":")
		for _, r := range action {
			s.press(string(r))
		}
		s.press("enter")
		s.m.client = client
		s.press("y")
		late := eventually.Context(t).Done()
		for got := (asked{}); !strings.HasSuffix(got.path, want); {
			select {
			case got = <-calls:
			case <-late:
				t.Fatalf("%s: helm was never asked for %s", action, want)
			}
		}
	}
}

// While a pool is shown, the form is for that pool.
func TestDispatchToShownPool(t *testing.T) {
	s := setStage(t, 120, 35, aPool(), nil, nil)
	s.press("p")
	s.shows("Repository", "owner/kite", "Command", "● next idle", "ctrl-s dispatch")
	s.press("esc")
	if len(s.m.dialogs) > 0 {
		t.Error("esc does not close it")
	}
}
