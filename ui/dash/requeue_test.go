package dash

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// R takes a task off hold at once: no ship has the task, so there is nothing to confirm.
func TestRequeueOnHold(t *testing.T) {
	b := aBoard(t)
	b.Tasks[5].Status, b.Tasks[5].Owner, b.Tasks[5].OnHold, b.Tasks[5].Reason = tasks.Pending, "", true, "ship-0: exit 3"
	b.Ships[0].Task = ""
	s := setStage(t, 160, 44, b, nil, nil)
	asked := s.helm()
	s.press("2")
	s.m.v.Tasks.Select("6")
	s.press("R")
	if len(s.m.dialogs) > 0 {
		t.Fatalf("it asks first; the screen is\n%s", s.text())
	}
	s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
	s.shows("requeue task 6: done")
	if got := s.next(asked); got.path != "/v1/voyages/"+b.Voyage.ID+"/requeue" || got.Task != "6" {
		t.Errorf("helm is asked for %+v", got)
	}
}

// R requeues work in review after a confirmation, whether a validator has it or not.
func TestRequeueInReview(t *testing.T) {
	for _, reviewer := range []string{"", "ship-1"} {
		b := aBoard(t)
		is := &b.Tasks[5]
		is.Status, is.Owner, is.HandIn = tasks.Pending, reviewer, &tasks.HandIn{Owner: "ship-0", Commit: "c1"}
		if reviewer != "" {
			is.Status = tasks.InProgress
		}
		b.Ships[0].Task = ""
		s := setStage(t, 160, 44, b, nil, nil)
		asked := s.helm()
		s.press("2")
		s.m.v.Tasks.Select("6")
		s.press("R")
		s.shows("Send task 6 back to ship-0?")
		s.press("y")
		s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
		if got := s.next(asked); got.Task != "6" {
			t.Errorf("helm is asked for %+v", got)
		}
	}
}

// Tasks that were given up for one cause are one need, and requeued together.
func TestRequeueForOneCause(t *testing.T) {
	b := calm(aBoard(t))
	for i, id := range []int{10, 11, 12} {
		t := &b.Tasks[id]
		t.OnHold, t.From = true, []string{"ship-0", "ship-1", "ship-0"}[i]
		t.Reason = t.From + []string{": no key", ": no key", ": exit 3"}[i]
	}
	s := setStage(t, 160, 44, b, nil, nil)
	asked := s.helm()
	s.shows("▲ 2 need you", "▲ tasks 11, 12 are on hold: no key")
	s.press("!", "!", "enter")
	s.shows("Requeue 2 tasks?", "no key")
	s.press("y")
	s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
	s.shows("requeue 2 tasks: done")
	if first, then := s.next(asked), s.next(asked); first.Task != "11" || then.Task != "12" || len(asked) > 0 {
		t.Errorf("helm is asked for %+v and %+v", first, then)
	}
}

// requeued is a request that helm got.
type requeued struct {
	path, body string
	api.RequeueRequest
}

// helm starts a stand-in for helm that requeues, and returns when the dashboard is connected to it.
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
		if stays(w, r) {
			return
		}
		raw, _ := io.ReadAll(r.Body)
		got := requeued{path: r.URL.Path, body: string(raw)}
		_ = json.Unmarshal(raw, &got.RequeueRequest) // other requests fail to parse
		if r.Method == http.MethodPost {             // the dashboard sends other requests besides
			asked <- got
		}
		_ = json.NewEncoder(w).Encode(api.Requeued{OnHold: true})
	})}
	s.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
	close(s.helmUp)
	s.until("helm is there", func() bool { return s.m.client != nil })
	return asked
}

// stays holds a request that waits for helm's end until its client leaves. It reports whether r is such a request.
func stays(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != "/v1/alive" {
		return false
	}
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
	return true
}

// next returns the next request to helm.
func (s *stage) next(asked <-chan requeued) (got requeued) {
	s.Helper()
	select {
	case got = <-asked:
	case <-eventually.Context(s).Done():
		s.Fatalf("helm is asked nothing; the screen is\n%s", s.text())
	}
	return got
}
