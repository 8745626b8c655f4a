package live

import (
	"context"
	"strconv"
	"strings"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
)

// size is that of a window.
type size struct{ cols, rows int }

// biggest is the biggest window that is shown whole. Of a bigger one, tmux shows the part
// around the cursor.
var biggest = size{500, 200}

// titled reads the size of the ship's window from the title that its tmux gives our terminal
// whenever it draws all of it, which it does when the size has changed.
func titled(title string) (size, bool) {
	text, ok := strings.CutPrefix(title, provision.TitlePrefix)
	if !ok {
		return size{}, false
	}
	return parseSize(text)
}

// parseSize reads columns x rows.
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

// outcome is how a command ended whose output did. A ship may never tell.
func outcome(ctx context.Context, s *link.Pty) error {
	select {
	case <-s.Done():
		return s.Wait()
	case <-ctx.Done():
		return ctx.Err()
	}
}
