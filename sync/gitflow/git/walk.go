package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxTree bounds one tree object, in bytes. It has room for a million files in one directory.
const maxTree = 64 << 20

// walker compares trees object by object. Git would do it, but collects all differences before it says the first, and
// a small pack can stand for more of them than fit into memory.
type walker struct {
	ask   io.Writer
	hear  *bufio.Reader
	raw   int // bytes of an object name
	trees int // that may still be read
	found func(mode, id, path string) error
}

// treeEntry is one line of a tree object.
type treeEntry struct{ Mode, name, ID string }

func (e treeEntry) dir() bool { return e.Mode == "40000" }

// WalkChanges calls found for each file in which the trees of two commits differ, with the mode and object that it has in the
// second one, both "" when it is gone. Directories that no tree may hold are given to found and not looked into.
func (r Repo) WalkChanges(ctx context.Context, from, to string, trees int, found func(mode, id, path string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked, ask := io.Pipe()
	hear, said := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := r.Stream(ctx, asked, said, "cat-file", "--batch")
		asked.CloseWithError(err)
		said.CloseWithError(err)
	}()
	w := &walker{ask: ask, hear: bufio.NewReaderSize(hear, 64<<10), raw: len(to) / 2, trees: trees, found: found}
	err := w.differ(from+"^{tree}", to+"^{tree}", "")
	ask.Close()
	hear.Close()
	<-ended
	if err != nil {
		return fmt.Errorf("files from the remote: %w", err)
	}
	return nil
}

// differ compares two directories. Either may be missing.
func (w *walker) differ(from, to, dir string) error {
	old := map[string]treeEntry{}
	var order []string
	entries, err := w.read(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		old[e.name] = e
		order = append(order, e.name)
	}
	if entries, err = w.read(to); err != nil {
		return err
	}
	for _, e := range entries {
		was := old[e.name]
		delete(old, e.name)
		if err := w.compare(was, e, dir+e.name); err != nil {
			return err
		}
	}
	for _, name := range order {
		if was, gone := old[name]; gone {
			if err := w.compare(was, treeEntry{}, dir+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare looks at one name in two directories.
func (w *walker) compare(was, is treeEntry, path string) error {
	if was == is {
		return nil
	}
	if is.dir() && BadPath(path) != "" {
		return w.found(is.Mode, is.ID, path)
	}
	var from, to string
	if was.dir() {
		from = was.ID
	}
	if is.dir() {
		if to = is.ID; IsEmptyTree(to) {
			return errors.New("a directory is empty, which git never makes") // and a small pack can hold endlessly many
		}
	}
	if from != to {
		if err := w.differ(from, to, path+"/"); err != nil {
			return err
		}
	}
	switch {
	case is.Mode != "" && !is.dir():
		return w.found(is.Mode, is.ID, path)
	case was.Mode != "" && !was.dir():
		return w.found("", "", path)
	}
	return nil
}

// read returns the entries of a tree.
func (w *walker) read(id string) ([]treeEntry, error) {
	if id == "" {
		return nil, nil
	}
	if w.trees--; w.trees < 0 {
		return nil, errors.New("too many directories changed")
	}
	if _, err := io.WriteString(w.ask, id+"\n"); err != nil {
		return nil, err
	}
	head, err := w.hear.ReadString('\n')
	if err != nil {
		return nil, err
	}
	f := strings.Fields(head)
	if len(f) != 3 || f[1] != "tree" {
		return nil, errors.New("a directory is missing")
	}
	n, err := strconv.Atoi(f[2])
	if err != nil || n > maxTree {
		return nil, errors.New("a directory has too many entries")
	}
	b := make([]byte, n+1)
	if _, err := io.ReadFull(w.hear, b); err != nil {
		return nil, err
	}
	return w.parse(b[:n])
}

// parse takes a tree object apart: "mode SPACE name ZERO object".
func (w *walker) parse(b []byte) ([]treeEntry, error) {
	var entries []treeEntry
	for len(b) > 0 {
		head, rest, ok := bytes.Cut(b, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !ok || !spaced || mode == "" || len(rest) < w.raw {
			return nil, errors.New("a directory is malformed")
		}
		entries = append(entries, treeEntry{mode, name, hex.EncodeToString(rest[:w.raw])})
		b = rest[w.raw:]
	}
	return entries, nil
}
