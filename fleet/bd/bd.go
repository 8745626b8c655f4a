// Package bd makes the captain's bd read issues into its own database in a workspace.
//
// Of the repository, bd sees only the database, by a link. The repository's configuration, hooks, redirects and environment files may be
// written by a ship.
package bd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Database is the database that bd may have in a workspace.
type Database struct {
	Workspace string
	Scratch   string        // the directory in which bd runs; each run empties it first
	Most      time.Duration // how long one run of bd may take
}

// ErrAbsent means that bd is not on PATH.
var ErrAbsent = errors.New("bd is not on the PATH of helm")

// Find reports whether some version of bd has made a database.
func (d Database) Find() bool {
	return slices.ContainsFunc(databases, func(name string) bool { return d.has(name, 0) || d.has(name, fs.ModeDir) })
}

// has reports whether .beads is a real directory that contains name as a file of this type.
func (d Database) has(name string, kind fs.FileMode) bool {
	dir, err := os.Lstat(d.path())
	if err != nil || !dir.IsDir() {
		return false
	}
	is, err := os.Lstat(d.path(name))
	return err == nil && is.Mode().Type() == kind
}

func (d Database) path(name ...string) string {
	return filepath.Join(append([]string{d.Workspace, ".beads"}, name...)...)
}

// databases are the names that the generations of bd give their databases.
var databases = []string{"beads.db", "embeddeddolt", "dolt"}

// Import makes bd read issues into its database. It does nothing if the bd on PATH has no database there. give returns the issues, or nil
// for none; it gets the issues of the database if bd does not write these to the file by itself, else nil. tracked are the files in .beads
// on the branch: a database among these belongs to a ship, and is not used.
func (d Database) Import(ctx context.Context, tracked []string, give func(was []byte) []byte) error {
	program, err := exec.LookPath("bd")
	if err != nil {
		return ErrAbsent
	}
	if !d.Find() {
		return nil
	}
	for _, name := range tracked {
		if is := strings.ToLower(name); slices.ContainsFunc(databases, func(db string) bool { return is == db || strings.HasPrefix(is, db+"-") }) {
			return fmt.Errorf(".beads/%s is on the branch, where a ship may have put it: take it out with git rm --cached", name)
		}
	}
	if err := d.prepare(); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(d.Scratch) }()
	version, err := d.version(ctx, program)
	if err != nil {
		return err
	}
	g := generationOf(version)
	switch {
	case g == nil:
		return fmt.Errorf("bd %s is of a generation that ocaptain does not know: have it read .beads/issues.jsonl there yourself", version)
	case !d.has(g.database, g.kind):
		return nil
	}
	if err := g.link(d); err != nil {
		return err
	}
	var was []byte
	file := filepath.Join(d.Scratch, "issues.jsonl")
	if g.exports != nil {
		if _, err = d.run(ctx, program, g.exports(file)...); err == nil {
			was, err = os.ReadFile(file)
		}
		if err != nil {
			return err
		}
	}
	issues := give(was)
	if issues == nil {
		return nil
	}
	if err = os.WriteFile(file, issues, 0o600); err == nil {
		_, err = d.run(ctx, program, g.imports(file)...)
	}
	return err
}

// prepare makes the directory Scratch without anything that would influence bd.
func (d Database) prepare() error {
	own := filepath.Join(d.Scratch, ".beads")
	err := os.RemoveAll(d.Scratch)
	if err == nil {
		err = os.MkdirAll(own, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(own, "config.yaml"), nil, 0o600) // otherwise bd looks for one in parent directories
	}
	return err
}

// version returns the version of bd, such as 1.0.5.
func (d Database) version(ctx context.Context, program string) (string, error) {
	out, err := d.run(ctx, program, "version", "--json")
	if err != nil {
		return "", err
	}
	var said struct {
		Version string `json:"version"`
		Data    struct {
			Version string `json:"version"`
		} `json:"data"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return "", fmt.Errorf("bd version --json says nothing that ocaptain can read: %w", err)
	}
	version := said.Version + said.Data.Version
	if !isVersion().MatchString(version) {
		return "", errors.New("bd version --json names no version")
	}
	return version, nil
}
