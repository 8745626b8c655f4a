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
	"ocaptain/fleet/clean"
	"ocaptain/sync/bounded"
)

// diffArgs returns the git arguments that compare the two commits.
func (c Change) diffArgs(more ...string) []string {
	all := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules"}, more...)
	all = append(all, "--end-of-options", c.Base, c.Head, "--")
	if c.only != "" {
		all = append(all, ":(literal)"+c.only)
	}
	return all
}

// WritePatch writes the change exactly as ships wrote it, for git apply.
func (c Change) WritePatch(ctx context.Context, d fleet.Dir, w io.Writer) error {
	cmd := GitCommand(ctx, d.Workspace(), c.diffArgs("--binary")...)
	said := bounded.NewOutput(maxSaid)
	cmd.Stdout, cmd.Stderr = w, said
	if err := cmd.Run(); err != nil {
		return gitError(ctx, "diff", said.String(), err)
	}
	return nil
}

// errEnough ends a scan before the end of the patch.
var errEnough = errors.New("enough")

// ScanLines calls show for each line of the change, clean, with statistics first when stat is set.
// An error of show ends it and is returned.
func (c Change) ScanLines(ctx context.Context, d fleet.Dir, stat bool, show func(Line) error) error {
	more := []string{"--find-renames", "--patch"}
	if stat {
		more = append(more, "--stat=80")
	}
	return stream(ctx, d.Workspace(), c.diffArgs(more...), func(r *bufio.Reader) error { return scanPatch(r, show) })
}

// scanPatch reads a patch.
func scanPatch(lines *bufio.Reader, show func(Line) error) error {
	var p parser
	for {
		raw, err := readUntil(lines, '\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read patch: %w", err)
		}
		text := strings.TrimSuffix(string(raw), "\r")
		if err := show(Line{p.classify(text), clean.Text(text)}); err != nil {
			return err
		}
	}
}

// readUntil returns the bytes before the next end, cut off where clean cuts.
func readUntil(r *bufio.Reader, end byte) ([]byte, error) {
	var text []byte
	for {
		part, err := r.ReadSlice(end)
		room := max(0, clean.Longest-len(text))
		text = append(text, part[:min(room, len(part))]...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(text) > 0:
			return bytes.TrimSuffix(text, []byte{end}), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
