package spritestest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// answer sends JSON.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// fail sends an error as the service does.
func fail(w http.ResponseWriter, status int, code, message string) {
	all := map[string]any{}
	if code != "" {
		all["error"] = code
	}
	if message != "" {
		all["message"] = message
	}
	answer(w, status, all)
}

// read decodes a JSON body.
func read(w http.ResponseWriter, r *http.Request, v any) bool {
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(v); err != nil {
		fail(w, http.StatusBadRequest, "bad_request", "invalid JSON")
		return false
	}
	return true
}

func (f *Fake) create(w http.ResponseWriter, r *http.Request) {
	var order struct {
		Name   string   `json:"name"`
		Labels []string `json:"labels"`
	}
	if !read(w, r, &order) {
		return
	}
	if order.Name == "" || len(order.Name) > 63 || strings.Trim(order.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		fail(w, http.StatusBadRequest, "", "invalid name")
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	minute := f.seconds(60)
	f.creates = slices.DeleteFunc(f.creates, func(at time.Time) bool { return now.Sub(at) > minute })
	if most := f.options.CreatesPerMinute; most > 0 && len(f.creates) >= most {
		left := minute - now.Sub(f.creates[0])
		w.Header().Set("Retry-After", strconv.Itoa(int(left/time.Second)+1))
		answer(w, http.StatusTooManyRequests, map[string]any{
			"error": "sprite_creation_rate_limited", "message": "too many sprites created", "limit": most,
			"window_seconds": 60, "retry_after_seconds": left.Seconds(), "current_count": len(f.creates),
		})
		return
	}
	if f.sprites[order.Name] != nil {
		fail(w, http.StatusBadRequest, "", "name already exists")
		return
	}
	if most := f.options.Running; most > 0 && len(f.sprites) >= most {
		answer(w, http.StatusTooManyRequests, map[string]any{
			"error": "concurrent_sprite_limit_exceeded", "message": "too many sprites are running", "limit": most, "current_count": len(f.sprites),
		})
		return
	}
	f.creates = append(f.creates, now)
	f.numbers++
	s, err := f.newSprite(order.Name, fmt.Sprintf("sprite-%d-%d", now.UnixNano()%1e9, f.numbers), order.Labels)
	if err != nil {
		fail(w, http.StatusInternalServerError, "", err.Error())
		return
	}
	f.before = maps.Clone(f.sprites)
	f.sprites[order.Name] = s
	answer(w, http.StatusCreated, s.describe())
}

// list sends at most 50 entries per page, whatever was requested.
func (f *Fake) list(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	most := 50
	if n, err := strconv.Atoi(r.FormValue("max_results")); err == nil && n > 0 {
		most = min(most, n)
	}
	var names []string
	running, org, sprites := 0, f.options.Org, f.sprites
	switch misdeed(r) {
	case Lag:
		sprites = f.before
	case Stranger:
		org, sprites = "eve", nil
	}
	for name, s := range sprites {
		if strings.HasPrefix(name, r.FormValue("prefix")) && name > r.FormValue("continuation_token") {
			names = append(names, name)
		}
		if s.status() == "running" {
			running++
		}
	}
	slices.Sort(names)
	page := map[string]any{
		"has_more": len(names) > most, "next_continuation_token": nil,
		"org": map[string]any{"name": org, "running": running},
	}
	if len(names) > most {
		names = names[:most]
		page["next_continuation_token"] = names[most-1]
	}
	rows := []any{}
	for i, name := range names {
		row := sprites[name].describe()
		if i%2 == 1 { // the documentation promises only the name of an entry
			row = map[string]any{"name": name, "org_slug": f.options.Org, "updated_at": row["updated_at"]}
		}
		rows = append(rows, row)
	}
	page["sprites"] = rows
	answer(w, http.StatusOK, page)
}

func (s *sprite) get(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, s.describe())
}

func (s *sprite) change(w http.ResponseWriter, r *http.Request) {
	var order struct {
		Labels []string `json:"labels"`
		Clear  bool     `json:"clear_labels"`
	}
	if !read(w, r, &order) {
		return
	}
	s.mu.Lock()
	if order.Clear || order.Labels != nil {
		s.labels = order.Labels
	}
	s.mu.Unlock()
	answer(w, http.StatusOK, s.describe())
}

func (f *Fake) remove(s *sprite, w http.ResponseWriter, _ *http.Request) {
	s.destroy()
	f.mu.Lock()
	if f.sprites[s.name] == s {
		f.before = maps.Clone(f.sprites)
		delete(f.sprites, s.name)
	}
	f.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

func (s *sprite) getPolicy(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer(w, http.StatusOK, map[string]any{"rules": s.rules})
}

func (s *sprite) setPolicy(w http.ResponseWriter, r *http.Request) {
	var policy struct {
		Rules []map[string]any `json:"rules"`
	}
	if !read(w, r, &policy) {
		return
	}
	s.mu.Lock()
	s.rules = policy.Rules
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}
