package changes

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"ocaptain/fleet"
	"ocaptain/ui/clean"
)

// args is the git command that compares the two commits.
func (c Change) args(more ...string) []string {
	all := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules"}, more...)
	return append(all, "--end-of-options", c.Base, c.Head, "--")
}

// WritePatch writes the change byte by byte as ships wrote it, to be fed to git apply.
func (c Change) WritePatch(ctx context.Context, d fleet.Dir, w io.Writer) error {
	cmd := Git(ctx, d.Workspace(), c.args("--binary")...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &said
	if err := cmd.Run(); err != nil {
		return gitError(ctx, "diff", said.String(), err)
	}
	return nil
}

// errEnough ends a scan before the end of the patch.
var errEnough = errors.New("enough")

// Scan hands over the lines of the change, clean, with statistics first when stat is
// wanted. An error of show ends it and is returned.
func (c Change) Scan(ctx context.Context, d fleet.Dir, stat bool, show func(Line) error) error {
	more := []string{"--find-renames", "--patch"}
	if stat {
		more = append(more, "--stat=80")
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd := Git(running, d.Workspace(), c.args(more...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return gitError(ctx, "diff", said.String(), err)
	}
	shown := scan(pipe, show)
	if shown != nil {
		stop()
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case shown != nil:
		return shown
	case err != nil:
		return gitError(ctx, "diff", said.String(), err)
	}
	return nil
}

// scan reads a patch.
func scan(r io.Reader, show func(Line) error) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	var p parser
	for {
		raw, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read patch: %w", err)
		}
		text := strings.TrimSuffix(string(raw), "\r")
		if err := show(Line{p.kind(text), clean.Text(text)}); err != nil {
			return err
		}
	}
}

// readLine returns the next line without its end, or the beginning of one that is longer
// than what clean keeps.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		room := max(0, clean.Longest-len(line))
		line = append(line, part[:min(room, len(part))]...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
