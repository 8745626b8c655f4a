package exedev

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/lockfile"
	"ocaptain/sync/whole"
)

// record is the local record of a machine. It is written before the machine is requested, so that a machine can be
// found even if the answer was lost.
type record struct {
	Name    string            `json:"name"`
	ID      string            `json:"id"`
	Labels  map[string]string `json:"labels,omitempty"`
	Created time.Time         `json:"created"`
	Asked   time.Time         `json:"asked,omitzero"` // when it was last about to be requested
	Made    bool              `json:"made"`           // the lobby has listed it at least once
	Addr    string            `json:"addr,omitempty"` // its last known address
	User    string            `json:"user,omitempty"`
	Account string            `json:"account,omitempty"` // e-mail address of its account, "" if exe.dev did not report one
}

func newRecord(name string, labels map[string]string) *record {
	return &record{
		Name: name, ID: strings.ToLower(rand.Text()[:12]), Labels: maps.Clone(labels),
		Created: time.Now().UTC().Truncate(time.Second),
	}
}

// load reads the record of a machine. A machine without a record is not ours.
func (p *Provider) load(name string) (*record, error) {
	if !p.validName(name) {
		return nil, fmt.Errorf("exe.dev machine %q: %w", name, provider.ErrNotFound)
	}
	b, err := os.ReadFile(p.recordFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("exe.dev machine %s: %w", name, provider.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("exe.dev machine %s: %w", name, err)
	}
	var r record
	if err := json.Unmarshal(b, &r); err != nil || r.Name != name || r.ID == "" {
		return nil, fmt.Errorf("exe.dev machine %s: %s is damaged: remove it, and the machine with: ssh exe.dev rm %s (%w)",
			name, p.recordFile(name), p.vmName(name), err)
	}
	return &r, nil
}

func (p *Provider) save(r *record) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.MkdirAll(p.options.Dir, 0o700)
	}
	if err == nil {
		err = whole.Write(p.recordFile(r.Name), append(b, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember exe.dev machine %s: %w", r.Name, err)
	}
	return nil
}

// records reads all records that have the labels.
func (p *Provider) records(labels map[string]string) ([]*record, error) {
	entries, err := os.ReadDir(p.options.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list exe.dev machines: %w", err)
	}
	var found []*record
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		r, err := p.load(name)
		if errors.Is(err, provider.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if provider.Includes(r.Labels, labels) {
			found = append(found, r)
		}
	}
	return found, nil
}

// lockRecord keeps other processes from making or destroying the same machine. unlock ends that, and removes the lock
// file when the machine is gone.
func (p *Provider) lockRecord(ctx context.Context, name string) (unlock func(gone bool), err error) {
	if unlock, err = lockfile.Lock(ctx, filepath.Join(p.options.Dir, ".locks", name)); err != nil {
		return nil, fmt.Errorf("exe.dev machine %s: %w", name, err)
	}
	return unlock, nil
}
