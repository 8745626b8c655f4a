package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"ocaptain/fleet/process"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/sync/whole"
	"ocaptain/tasks/pattern"
)

// record is the record of a ship, which the ship cannot reach.
type record struct {
	Name          string            `json:"name"`
	ID            string            `json:"id"`
	Labels        map[string]string `json:"labels,omitempty"`
	AuthorizedKey string            `json:"authorizedKey"`
	HostKey       string            `json:"hostKey"`    // public host key
	PrivateKey    string            `json:"privateKey"` // private host key
	Created       time.Time         `json:"created"`
	Ready         bool              `json:"ready"` // its server has answered at least once
	Confined      bool              `json:"confined"`
	Bind          []string          `json:"bind,omitempty"`    // what the captain showed to it when it was made
	Private       bool              `json:"private,omitempty"` // it has had its own network
	Share         int64             `json:"share,omitempty"`   // its share of the disk in bytes: a tenth of what was free when it was made
	Full          bool              `json:"full,omitempty"`    // it was stopped because it exceeded its limit of disk space
	Note          string            `json:"note,omitempty"`
	Process       process.ID        `json:"process,omitzero"` // the process with which the server dies
}

const namePattern = `^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`

var validName = pattern.New(namePattern)

// dirs are the directories with the files of all ships.
type dirs struct {
	root    string // has a directory for each ship
	runtime string // has the sockets
}

// place names the files of one ship.
type place struct {
	sandbox.Place
	record string
	log    string // log of its SSH server
	socket string // socket of its SSH server
}

func (d dirs) place(r *record) place {
	dir := filepath.Join(d.root, r.Name)
	return place{
		Place:  sandbox.Place{Dir: dir, Home: filepath.Join(dir, "home"), Runtime: filepath.Join(d.runtime, r.ID)},
		record: filepath.Join(dir, "machine.json"),
		log:    filepath.Join(dir, "sshd.log"),
		socket: filepath.Join(d.runtime, r.ID+".ssh"),
	}
}

// load reads the record of a ship. A ship without a record does not exist, or is just being made.
func (d dirs) load(name string) (*record, error) {
	if len(name) > 63 || !validName().MatchString(name) {
		return nil, fmt.Errorf("local ship %q: %w", name, provider.ErrNotFound)
	}
	file := d.place(&record{Name: name}).record
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("local ship %s: %w", name, provider.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("local ship %s: %w", name, err)
	}
	var r record
	if err := json.Unmarshal(b, &r); err != nil || r.Name != name || r.ID == "" {
		return nil, fmt.Errorf("local ship %s: %s is damaged: remove its directory by hand (%w)", name, file, err)
	}
	return &r, nil
}

func (d dirs) save(r *record) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := whole.Write(d.place(r).record, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember local ship %s: %w", r.Name, err)
	}
	return nil
}

func (p *Provider) machine(r *record) provider.Machine {
	m := provider.Machine{
		Name:    r.Name,
		ID:      r.ID,
		Addr:    p.dirs.place(r).socket,
		User:    p.user(r, r.Confined).Name,
		HostKey: r.HostKey,
		Labels:  maps.Clone(r.Labels),
		State:   provider.Stopped,
		Created: r.Created,
		Note:    r.Note,
	}
	switch {
	case !r.Ready:
		m.State = provider.Creating
	case r.Process.Alive():
		m.State = provider.Running
	}
	return m
}
