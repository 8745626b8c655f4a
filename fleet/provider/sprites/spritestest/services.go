package spritestest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
)

// service is a program that is started whenever the sprite comes back from cold, and restarted when it ends.
type service struct {
	name string
	Cmd  string            `json:"cmd"`
	Args []string          `json:"args"`
	Env  map[string]string `json:"env,omitempty"`
	Dir  string            `json:"dir,omitempty"`
	Port *int              `json:"http_port,omitempty"`

	run      *ssh.Session // nil when it is not running
	stopped  bool         // it was stopped on purpose
	restarts int
}

func (v *service) describe() map[string]any {
	status := "stopped"
	if v.run != nil {
		status = "running"
	}
	return map[string]any{
		"name": v.name, "cmd": v.Cmd, "args": v.Args, "needs": []string{},
		"state": map[string]any{"name": v.name, "status": status, "restart_count": v.restarts},
	}
}

func (s *sprite) startServices(box *sandbox) {
	s.mu.Lock()
	var all []*service
	for _, v := range s.services {
		if !v.stopped {
			all = append(all, v)
		}
	}
	s.mu.Unlock()
	for _, v := range all {
		go s.keepGoing(box, v)
	}
}

// keepGoing runs a service in a sandbox, again and again, until it is stopped or the sandbox ends.
func (s *sprite) keepGoing(box *sandbox, v *service) {
	for {
		if !s.runOnce(box, v) {
			return
		}
		s.mu.Lock()
		over := s.box != box || v.stopped || s.services[v.name] != v
		v.restarts++
		s.mu.Unlock()
		select {
		case <-box.ended:
			return
		case <-s.fake.ended:
			return
		case <-eventually.Later(s.fake.seconds(1)):
		}
		if over {
			return
		}
	}
}

func (s *sprite) runOnce(box *sandbox, v *service) (again bool) {
	session, closeAll, err := box.session()
	if err != nil {
		return false
	}
	defer closeAll()
	var words []string
	if s.fake.options.RootServices {
		words = []string{"env", "-i", "HOME=/root", "PATH=/usr/local/bin:/usr/bin:/bin"}
	}
	words = append(words, link.Quote(v.Cmd))
	for _, a := range v.Args {
		words = append(words, link.Quote(a))
	}
	s.mu.Lock()
	if s.box != box || v.run != nil || s.services[v.name] != v {
		s.mu.Unlock()
		return false
	}
	v.run = session
	s.mu.Unlock()
	_ = session.Run("exec " + strings.Join(words, " ")) // ignored: it is restarted however it ended
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.run == session {
		v.run = nil
	}
	return true
}

func (s *sprite) listServices(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []any{}
	for _, v := range s.services {
		all = append(all, v.describe())
	}
	answer(w, http.StatusOK, all)
}

func (s *sprite) getService(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.services[r.PathValue("service")]
	if v == nil {
		fail(w, http.StatusNotFound, "service not found", "")
		return
	}
	answer(w, http.StatusOK, v.describe())
}

func (f *Fake) putService(s *sprite, w http.ResponseWriter, r *http.Request) {
	v := &service{name: r.PathValue("service")}
	if !read(w, r, v) {
		return
	}
	if v.Cmd == "" {
		fail(w, http.StatusBadRequest, "cmd is required", "")
		return
	}
	box, release, err := s.use()
	if err != nil {
		fail(w, http.StatusNotFound, "sprite not found", "")
		return
	}
	defer release()
	s.mu.Lock()
	for _, other := range s.services {
		if v.Port != nil && other.Port != nil && other.name != v.name {
			s.mu.Unlock()
			fail(w, http.StatusConflict, "http_port is taken", "")
			return
		}
	}
	old := s.services[v.name]
	s.services[v.name] = v
	s.mu.Unlock()
	if old != nil {
		s.end(old)
	}
	go s.keepGoing(box, v)
	f.stream(w, r, v.name)
}

// end stops a service.
func (s *sprite) end(v *service) {
	s.mu.Lock()
	run := v.run
	v.run = nil
	s.mu.Unlock()
	if run != nil {
		_ = run.Signal(ssh.SIGTERM)
		_ = run.Close()
	}
}

// stream reports the events of a service for a while.
func (f *Fake) stream(w http.ResponseWriter, r *http.Request, name string) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	say := func(kind, data string) {
		_ = json.NewEncoder(w).Encode(map[string]any{"type": kind, "data": data, "timestamp": time.Now().UnixMilli()})
		_ = http.NewResponseController(w).Flush()
	}
	say("started", name)
	long := 5 * time.Second
	if d, err := time.ParseDuration(r.FormValue("duration")); err == nil {
		long = d
	}
	f.wait(r, f.seconds(long.Seconds()))
	say("complete", "")
}

func (f *Fake) driveService(s *sprite, w http.ResponseWriter, r *http.Request) {
	box, release, err := s.use()
	if err != nil {
		fail(w, http.StatusNotFound, "sprite not found", "")
		return
	}
	defer release()
	s.mu.Lock()
	v := s.services[r.PathValue("service")]
	s.mu.Unlock()
	if v == nil {
		fail(w, http.StatusNotFound, "service not found", "")
		return
	}
	verb := r.PathValue("verb")
	if verb == "stop" || verb == "restart" {
		s.mu.Lock()
		v.stopped = verb == "stop"
		s.mu.Unlock()
		s.end(v)
	}
	if verb == "start" || verb == "restart" {
		s.mu.Lock()
		v.stopped = false
		s.mu.Unlock()
		go s.keepGoing(box, v)
	}
	f.stream(w, r, v.name)
}

func (s *sprite) deleteService(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	v := s.services[r.PathValue("service")]
	delete(s.services, r.PathValue("service"))
	s.mu.Unlock()
	if v == nil {
		fail(w, http.StatusNotFound, "service not found", "")
		return
	}
	s.end(v)
	w.WriteHeader(http.StatusNoContent)
}
