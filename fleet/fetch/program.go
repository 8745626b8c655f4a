package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Program is a program in an archive.
type Program struct {
	Archive
	File    string `json:"file"`           // path in the archive
	Command string `json:"command"`        // its name on PATH
	Node    int    `json:"node,omitempty"` // the oldest version of Node.js that runs it, 0 if it needs none
}

// Find returns the path of the program's file below the first of the directories that has it, "" if none does.
func (p Program) Find(roots ...string) string {
	for _, root := range roots {
		dir, have := p.Unpacked(root)
		if !have {
			continue
		}
		file := filepath.Join(dir, p.File)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// Get returns the path of the program's file below root, and downloads its archive if that is missing.
func (p Program) Get(ctx context.Context, root string, say func(done, all int64)) (string, error) {
	if err := p.checkRuns(ctx); err != nil {
		return "", err
	}
	if _, err := Get(ctx, p.Archive, root, say); err != nil {
		return "", err
	}
	file := p.Find(root)
	if file == "" {
		return "", fmt.Errorf("%s has no program %s", p.Archive, p.File)
	}
	return file, nil
}

// checkRuns returns an error that says why the program would not run on this machine, or nil.
func (p Program) checkRuns(ctx context.Context) error {
	if p.Node == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--version")
	cmd.WaitDelay = time.Second
	out, _ := cmd.Output()
	text, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	if has, err := strconv.Atoi(text); err != nil || has < p.Node {
		return fmt.Errorf("%s needs Node.js %d or newer: install it, or put %s on the PATH", p.Command, p.Node, p.Command)
	}
	return nil
}

// Serve reads from stdin which program the hub wants on this ship. It finds the program among the programs that the hub has
// for ships on its own machine, or downloads it, and links it where the runner looks first. The digest comes from the
// hub.
func Serve(ctx context.Context, home string, stdin io.Reader) error {
	var p Program
	if err := json.NewDecoder(io.LimitReader(stdin, 1<<20)).Decode(&p); err != nil {
		return fmt.Errorf("read what to fetch: %w", err)
	}
	if !filepath.IsLocal(p.File) || p.Command == "" || filepath.Base(p.Command) != p.Command {
		return fmt.Errorf("%.100q and %.100q cannot be a program and its command", p.File, p.Command)
	}
	own := filepath.Join(home, ".ocaptain", "agents")
	file := p.Find(os.Getenv("OCAPTAIN_AGENTS"), own)
	if file == "" {
		var err error
		if file, err = p.Get(ctx, own, nil); err != nil {
			return err
		}
	}
	return replaceLink(file, filepath.Join(home, ".ocaptain", "bin", p.Command))
}

// replaceLink atomically replaces name by a link to file.
func replaceLink(file, name string) error {
	next := name + ".new"
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.RemoveAll(next)); err != nil {
		return err
	}
	return errors.Join(os.Symlink(file, next), os.Rename(next, name))
}
