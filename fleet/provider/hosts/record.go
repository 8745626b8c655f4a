package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/lockfile"
	"ocaptain/sync/whole"
	"ocaptain/tasks/pattern"
)

// record says on which host a ship is. It is written before anything is made there, and removed when all of it is
// gone. So a ship without a record does not exist.
type record struct {
	Name   string            `json:"name"`
	Host   string            `json:"host"` // the Entry without its number of ships
	Labels map[string]string `json:"labels,omitempty"`
}

const (
	nameMax     = 63
	namePattern = `^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
)

var validName = pattern.New(namePattern)

func isValidName(name string) bool { return len(name) <= nameMax && validName().MatchString(name) }

func (p *Provider) recordFile(name string) string {
	return filepath.Join(p.options.State, name+".json")
}

// load reads the record of a ship, or returns provider.ErrNotFound.
func (p *Provider) load(name string) (record, error) {
	var r record
	if !isValidName(name) {
		return r, fmt.Errorf("ship %q: %w", name, provider.ErrNotFound)
	}
	raw, err := os.ReadFile(p.recordFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("ship %s: %w", name, provider.ErrNotFound)
	}
	if err != nil {
		return r, fmt.Errorf("ship %s: %w", name, err)
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.Name != name || r.Host == "" {
		return r, fmt.Errorf("ship %s: %s is damaged: write its host there, like {\"name\":%q,\"host\":\"user@host\"}", name, p.recordFile(name), name)
	}
	return r, nil
}

// records returns the records of all ships. A damaged record is an error.
func (p *Provider) records() ([]record, error) {
	files, err := filepath.Glob(filepath.Join(p.options.State, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []record
	for _, file := range files {
		r, err := p.load(strings.TrimSuffix(filepath.Base(file), ".json"))
		if errors.Is(err, provider.ErrNotFound) {
			continue // the ship was just destroyed
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// choosePlace returns the record of a ship. For a new ship it chooses the host with the fewest of our ships that may
// have another, and fresh is true.
func (p *Provider) choosePlace(ctx context.Context, spec provider.Spec) (r record, fresh bool, err error) {
	unlock, err := p.lockName(ctx, ".place")
	if err != nil {
		return r, false, err
	}
	defer unlock()
	if r, err = p.load(spec.Name); !errors.Is(err, provider.ErrNotFound) {
		return r, false, err
	}
	all, err := p.entries()
	if err != nil {
		return r, false, err
	}
	if len(all) == 0 {
		return r, false, fmt.Errorf("no hosts are configured; name them in %s, like: hosts: [user@host]", p.options.Config)
	}
	records, err := p.records()
	if err != nil {
		return r, false, err
	}
	ships := perHost(records)
	r = record{Name: spec.Name, Labels: maps.Clone(spec.Labels)}
	for _, e := range all {
		name := e.String()
		if free := e.Most == 0 || ships[name] < e.Most; free && (r.Host == "" || ships[name] < ships[r.Host]) {
			r.Host = name
		}
	}
	if r.Host == "" {
		return r, false, fmt.Errorf("all hosts have as many ships as they may (%d): allow more in %s, or sink some", len(records), p.options.Config)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return r, false, err
	}
	return r, true, whole.Write(p.recordFile(r.Name), append(raw, '\n'), 0o600)
}

// FreeShips returns for how many more ships all hosts have room in all. bounded is false when there is no limit.
func (p *Provider) FreeShips() (room int, bounded bool, err error) {
	all, err := p.entries()
	if err != nil {
		return 0, false, err
	}
	records, err := p.records()
	if err != nil {
		return 0, false, err
	}
	ships := perHost(records)
	for _, e := range all {
		if e.Most == 0 {
			return 0, false, nil
		}
		room += max(0, e.Most-ships[e.String()])
	}
	return room, true, nil
}

// perHost returns the number of ships on each host.
func perHost(records []record) map[string]int {
	ships := map[string]int{}
	for _, r := range records {
		ships[r.Host]++
	}
	return ships
}

// forget removes the record of a ship that is gone.
func (p *Provider) forget(name string) error {
	if err := os.Remove(p.recordFile(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lockName keeps other processes from doing the same thing. It removes the lock file of a ship without a record.
func (p *Provider) lockName(ctx context.Context, what string) (unlock func(), err error) {
	release, err := lockfile.Lock(ctx, filepath.Join(p.options.State, ".locks", what))
	if err != nil {
		return nil, fmt.Errorf("ship %s: wait for another who is at it: %w", what, err)
	}
	return func() {
		_, err := os.Lstat(p.recordFile(what))
		release(errors.Is(err, fs.ErrNotExist))
	}, nil
}
