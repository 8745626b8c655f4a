package dash

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/connection"
)

// R takes a task off hold at once: no ship has it, so there is nothing to ask.
func TestRequeueOnHold(t *testing.T) {
	b := aBoard(t)
	b.Tasks[5].Status, b.Tasks[5].Owner, b.Tasks[5].OnHold, b.Tasks[5].Reason = tasks.Pending, "", true, "ship-0: exit 3"
	b.Ships[0].Task = ""
	s := setStage(t, 160, 44, b, nil, nil)
	asked := s.helm()
	s.press("2")
	s.m.v.tasks.Select("6")
	s.press("R")
	if len(s.m.dialogs) > 0 {
		t.Fatalf("it asks first; the screen is\n%s", s.text())
	}
	s.until("the action is over", func() bool { return s.m.jobs == 0 })
	s.shows("requeue task 6: done")
	if got := <-asked; got.path != "/v1/voyages/"+b.Voyage.ID+"/requeue" || got.Task != "6" {
		t.Errorf("helm is asked for %+v", got)
	}
}

// requeued is what helm was asked for.
type requeued struct {
	path string
	api.RequeueRequest
}

// helm gives the dashboard one that requeues.
func (s *stage) helm() <-chan requeued {
	s.Helper()
	hub := s.m.o.Hub
	if err := os.MkdirAll(hub.Runtime, 0o700); err != nil {
		s.Fatal(err)
	}
	listener, err := net.Listen("unix", api.Socket(hub))
	if err != nil {
		s.Fatal(err)
	}
	asked := make(chan requeued, 10)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := requeued{path: r.URL.Path}
		_ = json.NewDecoder(r.Body).Decode(&got.RequeueRequest)
		asked <- got
		_ = json.NewEncoder(w).Encode(api.Requeued{OnHold: true})
	})}
	s.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
	s.run(s.m.setHelm(connection.State{Client: api.NewClient(hub), Since: noon}))
	return asked
}
