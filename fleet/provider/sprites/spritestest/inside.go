package spritestest

import (
	"encoding/json"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"time"
)

// listen starts the management API inside a sprite, for tasks that keep it awake.
func (s *sprite) listen() error {
	listener, err := net.Listen("unix", filepath.Join(s.dir, "sprite", "api.sock"))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /v1/tasks/{task}", func(w http.ResponseWriter, r *http.Request) { s.putTask(w, r, r.PathValue("task"), true) })
	mux.HandleFunc("POST /v1/tasks", func(w http.ResponseWriter, r *http.Request) { s.putTask(w, r, "", false) })
	mux.HandleFunc("GET /v1/tasks", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.fake.Tasks(s.name)) })
	mux.HandleFunc("DELETE /v1/tasks/{task}", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, ok := s.tasks[r.PathValue("task")]; !ok {
			fail(w, http.StatusNotFound, "task not found", "")
			return
		}
		delete(s.tasks, r.PathValue("task"))
		w.WriteHeader(http.StatusNoContent)
	})
	s.inside = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.inside.Serve(listener) }()
	return nil
}

// putTask adds a task of at most an hour, given in seconds or as a duration.
func (s *sprite) putTask(w http.ResponseWriter, r *http.Request, name string, replace bool) {
	var order struct {
		Name   string          `json:"name"`
		Expire json.RawMessage `json:"expire"`
	}
	if !read(w, r, &order) {
		return
	}
	if name == "" {
		name = order.Name
	}
	long, ok := expiry(order.Expire)
	if !ok || name == "" || long <= 0 || long > time.Hour {
		fail(w, http.StatusBadRequest, "invalid expire", "")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.tasks[name]; there && !replace {
		fail(w, http.StatusConflict, "task exists", "")
		return
	}
	s.tasks[name] = time.Now().Add(s.fake.seconds(long.Seconds()))
	status := http.StatusOK
	if !replace {
		status = http.StatusCreated
	}
	answer(w, status, map[string]any{"name": name})
}

func expiry(raw json.RawMessage) (time.Duration, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(n) * time.Second, true
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}
