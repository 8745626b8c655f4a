package spritestest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// sprite is one machine. It is cold when it has no sandbox, and warm when the sandbox is frozen.
type sprite struct {
	fake    *Fake
	name    string
	id      string
	dir     string
	created time.Time

	wakes sync.Mutex // held while the state changes; taken before mu

	mu       sync.Mutex
	labels   []string
	rules    []map[string]any
	box      *sandbox // nil when cold
	frozen   bool
	gone     bool
	uses     int // number of commands, tunnels and requests in progress
	used     time.Time
	open     map[io.Closer]bool
	tasks    map[string]time.Time // by task: until when it keeps the sprite awake
	services map[string]*service
	inside   *http.Server // the management API inside the sprite
}

// spriteUser is the id of the user sprite when services run as root.
const spriteUser = 1000

func (f *Fake) newSprite(name, id string, labels []string) (*sprite, error) {
	s := &sprite{
		fake: f, name: name, id: id, dir: filepath.Join(f.root, id), created: time.Now(), labels: labels, used: time.Now(),
		open: map[io.Closer]bool{}, tasks: map[string]time.Time{}, services: map[string]*service{},
	}
	for _, dir := range []string{"home", "tmp", "sprite"} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.Chmod(filepath.Join(s.dir, "tmp"), 0o777|os.ModeSticky); err != nil {
		return nil, err
	}
	if f.options.RootServices {
		if err := os.Chown(filepath.Join(s.dir, "home"), spriteUser, spriteUser); err != nil {
			return nil, err
		}
	}
	if err := s.listen(); err != nil {
		return nil, err
	}
	go s.rest()
	return s, nil
}

// status returns the service's word for the sprite's state.
func (s *sprite) status() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.box == nil:
		return "cold"
	case s.frozen:
		return "warm"
	}
	return "running"
}

func (s *sprite) describe() map[string]any {
	status := s.status()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]any{
		"id": s.id, "name": s.name, "organization": "acme", "status": status, "url": "https://" + s.name + "-acme.sprites.app",
		"url_settings": map[string]any{"auth": "sprite"}, "created_at": s.created.Format(time.RFC3339Nano),
		"updated_at": s.created.Format(time.RFC3339Nano), "last_running_at": nil,
	}
	if len(s.labels) > 0 {
		all["labels"] = s.labels
	}
	return all
}

// use wakes the sprite and keeps it awake until the returned function is called.
func (s *sprite) use() (*sandbox, func(), error) {
	s.wakes.Lock()
	defer s.wakes.Unlock()
	if s.killed() { // like a machine, it comes back when it is used
		s.cool()
	}
	s.mu.Lock()
	if s.gone {
		s.mu.Unlock()
		return nil, nil, errors.New("sprite not found")
	}
	box, frozen := s.box, s.frozen
	s.mu.Unlock()
	switch {
	case box == nil:
		var err error
		if box, err = s.fake.open(s.dir); err != nil {
			return nil, nil, fmt.Errorf("sandbox: %w", err)
		}
	case frozen:
		box.thaw()
	}
	s.mu.Lock()
	cold := s.box == nil
	s.box, s.frozen, s.used = box, false, time.Now()
	s.uses++
	s.mu.Unlock()
	if cold {
		s.startServices(box)
	}
	var once sync.Once
	return box, func() {
		once.Do(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.uses--
			s.used = time.Now()
		})
	}, nil
}

// keep records a connection that a pause closes.
func (s *sprite) keep(c io.Closer) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[c] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, c)
	}
}

// dropAll closes all connections.
func (s *sprite) dropAll() {
	s.mu.Lock()
	var all []io.Closer
	for c := range s.open {
		all = append(all, c)
	}
	s.mu.Unlock()
	for _, c := range all {
		_ = c.Close()
	}
}

// freeze makes the sprite warm; chill makes it cold.
func (s *sprite) freeze() {
	s.wakes.Lock()
	defer s.wakes.Unlock()
	s.mu.Lock()
	box, frozen := s.box, s.frozen
	s.frozen = box != nil
	s.mu.Unlock()
	if box != nil && !frozen {
		box.freeze()
	}
	s.dropAll()
}

func (s *sprite) chill() {
	s.wakes.Lock()
	defer s.wakes.Unlock()
	s.cool()
}

// killed reports whether others have killed all processes of a sprite that is not cold.
func (s *sprite) killed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.box == nil {
		return false
	}
	select {
	case <-s.box.ended:
		return true
	default:
		return false
	}
}

// cool does what chill does. The caller holds wakes.
func (s *sprite) cool() {
	s.mu.Lock()
	box := s.box
	s.box, s.frozen = nil, false
	for _, v := range s.services {
		v.run = nil
	}
	s.tasks = map[string]time.Time{}
	s.mu.Unlock()
	if box != nil {
		box.kill()
	}
	s.dropAll()
}

func (s *sprite) destroy() {
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.chill()
	_ = s.inside.Close()
	_ = removeAll(s.dir)
}

// rest pauses the sprite if it is unused.
func (s *sprite) rest() {
	idle := s.fake.seconds(IdlePause)
	tick := time.NewTicker(max(idle/20, 5*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.fake.ended:
			return
		}
		now := time.Now()
		s.mu.Lock()
		gone, frozen, quiet := s.gone, s.frozen, now.Sub(s.used)
		busy := s.box == nil || s.uses > 0
		for _, until := range s.tasks {
			busy = busy || now.Before(until)
		}
		s.mu.Unlock()
		cold := s.fake.options.ColdAfter
		switch {
		case gone:
			return
		case busy || quiet < idle:
		case !frozen:
			s.freeze()
		case cold > 0 && quiet > idle+s.fake.seconds(float64(cold)):
			s.chill()
		}
	}
}
