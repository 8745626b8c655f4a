// Package search finds code in a working tree: by words about what it does, and by regular expressions. Its index is in
// memory and is updated when files change.
package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// Limits of what is indexed. Files beyond them are counted as left out.
const (
	maxFiles  = 50_000
	maxText   = 256 << 20 // bytes of all files
	maxFile   = 1 << 20   // bytes of a file
	maxData   = 20 << 10  // bytes of a file of data or settings, such as JSON, YAML or TOML
	maxListed = 64 << 20  // bytes of git's list of files
)

// fresh is how old the index may be when a query is answered.
const fresh = time.Second

// A Tree is the index of a working tree. Its methods are safe for concurrent use.
type Tree struct {
	dir   string
	root  *os.Root // keeps links from leading to files outside
	index *Index

	turn sync.Mutex // held while the tree is read

	means  Means
	mulled sync.Mutex // held while missing vectors are made

	mu    sync.Mutex
	files map[string]stamp
	read  time.Time // when the tree was last read
	stats Stats
}

// stamp shows whether a file has changed.
type stamp struct {
	size  int64
	at    time.Time
	taken bool // the file is in the index
}

// Stats are the statistics of an index.
type Stats struct {
	Files    int   // number of files in the index
	Chunks   int   // number of chunks of these files
	Bytes    int64 // size of these files
	LeftOut  int   // number of files that are binary, too large, or too many
	Reading  bool  // the tree is being read
	ReadOnce bool  // the tree was read completely at least once
	Meant    bool  // chunks can be found by meaning, too
	Vectors  int   // number of chunks with a vector
	Unmeant  error // why others have none
}

// Open returns the index of the working tree that contains dir. The tree is read at the first query.
func Open(ctx context.Context, dir string) (*Tree, error) {
	out, err := runGit(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%s: search reads what git knows of: %w", dir, err)
	}
	top := strings.TrimRight(string(out), "\n")
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	return &Tree{dir: top, root: root, index: NewIndex(), files: map[string]stamp{}}, nil
}

// Dir returns the directory of the tree.
func (t *Tree) Dir() string { return t.dir }

// Close closes the tree's directory.
func (t *Tree) Close() error { return t.root.Close() }

// runGit runs git so that it executes nothing from the repository's own settings.
func runGit(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=keep"}, args...)...)
	cmd.Env = append(git.ForeignEnv(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	out, complaint := bounded.Refuse(maxListed), bounded.NewEnd(4<<10)
	cmd.Stdout, cmd.Stderr = out, complaint
	if err := cmd.Run(); err != nil {
		return nil, errors.Join(fmt.Errorf("git %s: %w: %s", args[0], err, git.PlainText(strings.TrimSpace(complaint.String()))), ctx.Err())
	}
	return out.Bytes(), nil
}

// Stats returns the current statistics.
func (t *Tree) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats
	s.Files, s.Chunks = t.index.size()
	s.Meant = t.means != nil
	s.Vectors = t.index.meantChunks()
	return s
}

// Refresh updates the index if the tree was last read more than a second ago. It does not read unchanged files again.
func (t *Tree) Refresh(ctx context.Context) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	t.mu.Lock()
	young := t.stats.ReadOnce && time.Since(t.read) < fresh
	t.stats.Reading = !young
	t.mu.Unlock()
	if young {
		return nil
	}
	err := t.readAll(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read, t.stats.Reading = time.Now(), false
	t.stats.ReadOnce = t.stats.ReadOnce || err == nil
	return err
}

// readAll updates the index with everything that has changed.
func (t *Tree) readAll(ctx context.Context) error {
	out, err := runGit(ctx, t.dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return err
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	there := make(map[string]bool, len(names))
	total, leftOut := int64(0), 0
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if name == "" || there[name] {
			continue
		}
		info, err := t.root.Lstat(filepath.FromSlash(name))
		if err != nil || !info.Mode().IsRegular() {
			continue // the file is gone, or a link, whose target has a name of its own
		}
		there[name] = true
		if len(there) > maxFiles || total+info.Size() > maxText || info.Size() > sizeLimit(name) {
			leftOut++
			t.forget(name)
			continue
		}
		if t.take(name, info) {
			total += info.Size()
		} else {
			leftOut++
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.files {
		if !there[name] {
			t.index.Remove(name)
			delete(t.files, name)
		}
	}
	t.stats.Bytes, t.stats.LeftOut = total, leftOut
	return nil
}

func (t *Tree) forget(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files[name].taken {
		t.index.Remove(name)
	}
	delete(t.files, name)
}

// take indexes a file, unless the index has this version of it. It reports whether the file is in the index.
func (t *Tree) take(name string, info fs.FileInfo) bool {
	is := stamp{size: info.Size(), at: info.ModTime()}
	t.mu.Lock()
	was, known := t.files[name]
	t.mu.Unlock()
	if known && was.size == is.size && was.at.Equal(is.at) {
		return was.taken
	}
	text, err := t.readText(name)
	if is.taken = err == nil; is.taken {
		t.index.Put(name, text)
	} else {
		t.index.Remove(name)
	}
	if time.Since(is.at) < 2*time.Second {
		is.at = time.Time{} // the file may change again within the resolution of its time
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[name] = is
	return is.taken
}

// errBinary is the error of a file that is no text.
var errBinary = errors.New("it is no text")

// readText reads a file of the tree, if it is text.
func (t *Tree) readText(name string) (string, error) {
	f, err := t.root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(errBinary, err)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil || len(raw) > maxFile {
		return "", errors.Join(errBinary, err)
	}
	if bytes.IndexByte(raw[:min(len(raw), 8<<10)], 0) >= 0 {
		return "", errBinary
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD"), nil
}

// dataFiles are the endings of files that usually hold data and nothing that a person has written.
var dataFiles = []string{".json", ".yaml", ".yml", ".toml", ".xml", ".csv", ".tsv", ".svg", ".lock", ".sum", ".map", ".min.js", ".min.css"}

// sizeLimit returns how large a file may be to be indexed, in bytes.
func sizeLimit(name string) int64 {
	low := strings.ToLower(path.Base(name))
	if slices.ContainsFunc(dataFiles, func(end string) bool { return strings.HasSuffix(low, end) }) {
		return maxData
	}
	return maxFile
}
