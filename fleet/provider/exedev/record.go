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

// records are the local records of machines: a file for each in dir.
type records struct {
	dir     string
	install string
}

// suffix returns the end of every name at exe.dev. It shows which install made a machine, and keeps names from ending
// in a dash and digits, which exe.dev refuses.
func (rs records) suffix() string { return "-oc" + rs.install }

// valid reports whether a machine may have the name.
func (rs records) valid(name string) bool {
	return len(name) <= maxName-len(rs.suffix()) && validName().MatchString(name)
}

// vmName returns a machine's name at exe.dev.
func (rs records) vmName(name string) string { return name + rs.suffix() }

func (rs records) file(name string) string { return filepath.Join(rs.dir, name+".json") }

func (rs records) exists(name string) bool {
	_, err := os.Lstat(rs.file(name))
	return err == nil
}

// load reads the record of a machine. A machine without a record is not ours.
func (rs records) load(name string) (*record, error) {
	if !rs.valid(name) {
		return nil, fmt.Errorf("exe.dev machine %q: %w", name, provider.ErrNotFound)
	}
	b, err := os.ReadFile(rs.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("exe.dev machine %s: %w", name, provider.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("exe.dev machine %s: %w", name, err)
	}
	var r record
	if err := json.Unmarshal(b, &r); err != nil || r.Name != name || r.ID == "" {
		return nil, fmt.Errorf("exe.dev machine %s: %s is damaged: remove it, and the machine with: ssh exe.dev rm %s (%w)",
			name, rs.file(name), rs.vmName(name), err)
	}
	return &r, nil
}

func (rs records) save(r *record) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.MkdirAll(rs.dir, 0o700)
	}
	if err == nil {
		err = whole.Write(rs.file(r.Name), append(b, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember exe.dev machine %s: %w", r.Name, err)
	}
	return nil
}

// with returns the records that have all the labels.
func (rs records) with(labels map[string]string) ([]*record, error) {
	entries, err := os.ReadDir(rs.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list exe.dev machines: %w", err)
	}
	var found []*record
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		r, err := rs.load(name)
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

// lock keeps other processes from making or destroying the same machine. unlock ends that, and removes the lock file
// when the machine is gone.
func (rs records) lock(ctx context.Context, name string) (unlock func(gone bool), err error) {
	return lock(ctx, rs.dir, name)
}

// lock is records.lock for the records in dir.
func lock(ctx context.Context, dir, name string) (unlock func(gone bool), err error) {
	if unlock, err = lockfile.Lock(ctx, filepath.Join(dir, ".locks", name)); err != nil {
		return nil, fmt.Errorf("exe.dev machine %s: %w", name, err)
	}
	return unlock, nil
}
