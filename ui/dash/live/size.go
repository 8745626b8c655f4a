package live

import (
	"context"
	"strconv"
	"strings"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
)

// size is the size of a window.
type size struct{ cols, rows int }

// biggest is the largest window shown as a whole. Of a larger window, tmux shows the part around
// the cursor.
var biggest = size{500, 200}

// titled reads the size of the ship's window from our terminal's title, which the ship's tmux sets
// whenever it redraws the whole window, as after a change of size.
func titled(title string) (size, bool) {
	text, ok := strings.CutPrefix(title, provision.TitlePrefix)
	if !ok {
		return size{}, false
	}
	return parseSize(text)
}

// parseSize parses a size like 80x24.
func parseSize(text string) (size, bool) {
	cols, rows, ok := strings.Cut(text, "x")
	if !ok {
		return size{}, false
	}
	w, errW := strconv.ParseUint(cols, 10, 16)
	h, errH := strconv.ParseUint(rows, 10, 16)
	if errW != nil || errH != nil || w == 0 || h == 0 {
		return size{}, false
	}
	return size{min(int(w), biggest.cols), min(int(h), biggest.rows)}, true
}

// outcome returns how a command ended after its output. It stops with ctx, as a ship may never say.
func outcome(ctx context.Context, s *link.Pty) error {
	select {
	case <-s.Done():
		return s.Wait()
	case <-ctx.Done():
		return ctx.Err()
	}
}
