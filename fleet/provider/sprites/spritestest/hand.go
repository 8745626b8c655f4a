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

// What a test may do to sprites, and see of them, behind the back of the service.

// Pause makes a sprite warm now, as rest would.
func (f *Fake) Pause(name string) { f.sprite(name).freeze() }

// Chill makes a sprite cold now: its processes are gone.
func (f *Fake) Chill(name string) { f.sprite(name).chill() }

// Status is the word that the service has for a sprite's state, "" when there is none.
func (f *Fake) Status(name string) string {
	f.mu.Lock()
	s := f.sprites[name]
	f.mu.Unlock()
	if s == nil {
		return ""
	}
	return s.status()
}

// Tasks are the names of what keeps a sprite awake.
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

// Home is where the files of a sprite are on this machine.
func (f *Fake) Home(name string) string { return filepath.Join(f.sprite(name).dir, "home") }

// Processes are the ids, on this machine, of what runs in a sprite, none when it is cold.
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

// Names are those of all sprites.
func (f *Fake) Names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for name := range f.sprites {
		all = append(all, name)
	}
	return all
}

// Add makes a sprite that ocaptain knows nothing of.
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

// Label gives a sprite other labels, as its owner may, and returns the old ones.
func (f *Fake) Label(name string, labels ...string) []string {
	s := f.sprite(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.labels
	s.labels = labels
	return had
}

// Leftovers tells what is still there of the sprite with this id.
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

// Remove takes a sprite away.
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

// Serve has a program run in a sprite as a service, which wakes it.
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
