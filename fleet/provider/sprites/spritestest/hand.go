package spritestest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The methods here let a test change and inspect sprites without the service.

// Pause makes a sprite warm now, as after a pause.
func (f *Fake) Pause(name string) { f.sprite(name).freeze() }

// Chill makes a sprite cold now, so that its processes are gone.
func (f *Fake) Chill(name string) { f.sprite(name).chill() }

// Status returns the service's word for a sprite's state, "" if there is no such sprite.
func (f *Fake) Status(name string) string {
	f.mu.Lock()
	s := f.sprites[name]
	f.mu.Unlock()
	if s == nil {
		return ""
	}
	return s.status()
}

// Tasks returns the names of the tasks that keep a sprite awake.
func (f *Fake) Tasks(name string) []string {
	s := f.sprite(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for task, until := range s.tasks {
		if time.Now().Before(until) {
			all = append(all, task)
		}
	}
	return all
}

// Home returns the directory on this machine with the home of a sprite.
func (f *Fake) Home(name string) string { return filepath.Join(f.sprite(name).dir, "home") }

// Processes returns the ids on this machine of a sprite's processes, none when it is cold.
func (f *Fake) Processes(name string) []int {
	s := f.sprite(name)
	s.mu.Lock()
	box := s.box
	s.mu.Unlock()
	if box == nil {
		return nil
	}
	return slices.Collect(maps.Keys(box.below()))
}

// Names returns the names of all sprites.
func (f *Fake) Names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for name := range f.sprites {
		all = append(all, name)
	}
	return all
}

// Add makes a sprite that ocaptain does not know.
func (f *Fake) Add(name string, labels ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.numbers++
	s, err := f.newSprite(name, fmt.Sprintf("sprite-other-%d", f.numbers), labels)
	if err != nil {
		f.t.Fatal(err)
	}
	f.sprites[name] = s
}

// Label replaces the labels of a sprite, as its owner may, and returns the old ones.
func (f *Fake) Label(name string, labels ...string) []string {
	s := f.sprite(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.labels
	s.labels = labels
	return had
}

// Leftovers lists what is left of the sprite with this id.
func (f *Fake) Leftovers(id string) []string {
	var left []string
	if _, err := os.Stat(filepath.Join(f.root, id)); err == nil {
		left = append(left, filepath.Join(f.root, id))
	}
	return append(left, processesNaming(filepath.Join(f.root, id))...)
}

func (f *Fake) sprite(name string) *sprite {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sprites[name]
	if s == nil {
		f.t.Fatalf("there is no sprite %s", name)
	}
	return s
}

// Remove removes a sprite.
func (f *Fake) Remove(name string) {
	s := f.sprite(name)
	s.destroy()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sprites, name)
}

// Reset makes a sprite cold and empty, as has happened to users of the service.
func (f *Fake) Reset(name string) {
	s := f.sprite(name)
	s.chill()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.services = map[string]*service{}
	home := filepath.Join(s.dir, "home")
	if err := errors.Join(removeAll(home), os.MkdirAll(home, 0o755)); err != nil {
		f.t.Error(err)
	}
}

// Serve runs a program in a sprite as a service, which wakes it.
func (f *Fake) Serve(name, as, program string, args ...string) {
	f.t.Helper()
	s := f.sprite(name)
	box, release, err := s.use()
	if err != nil {
		f.t.Fatal(err)
	}
	defer release()
	v := &service{name: as, Cmd: program, Args: args}
	s.mu.Lock()
	s.services[v.name] = v
	s.mu.Unlock()
	go s.keepGoing(box, v)
}
