// Pictures makes the pictures of README: it plays a demo of each kind of voyage in a terminal of its own, and writes what its screen
// shows as an SVG into .github. Run it from the top of the repository, with the ocaptain to be shown:
//
//	go build && go run ./.ci/pictures ./ocaptain
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/creack/pty"

	"ocaptain/ui/term"
)

// The size of the screens, in cells.
const cols, rows = 132, 38

// shots are the pictures: how each demo is called, and what the screen must show.
var shots = []shot{
	{"plan", nil, regexp.MustCompile(`1\d of 28 done`)},
	{"session", []string{"--session"}, regexp.MustCompile(`[2-5] of 6 done`)},
	{"pool", []string{"--pool"}, regexp.MustCompile(`branch of its own`)},
}

type shot struct {
	name  string
	args  []string
	shows *regexp.Regexp // once the screen has it, the picture is taken
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "write: go run ./.ci/pictures OCAPTAIN [PICTURE...]")
		os.Exit(2)
	}
	for _, s := range shots {
		if wanted := os.Args[2:]; len(wanted) > 0 && !slices.Contains(wanted, s.name) {
			continue
		}
		screen, err := s.play(os.Args[1])
		if err == nil {
			err = os.WriteFile(filepath.Join(".github", s.name+".svg"), []byte(draw(screen)), 0o644)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", s.name, err)
			os.Exit(1)
		}
	}
}

// patience is how long a demo may take to show what is wanted.
const patience = 2 * time.Minute

// play runs a demo until its screen shows what is wanted, and returns the screen.
func (s shot) play(ocaptain string) (*term.Screen, error) {
	cmd := exec.Command(ocaptain, append([]string{"demo"}, s.args...)...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "OCAPTAIN_THEME=dark")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: cols, Rows: rows})
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt) // which destroys the ships of the demo
		_ = cmd.Wait()
		_ = tty.Close()
	}()
	read := make(chan []byte)
	go func() {
		defer close(read)
		for {
			b := make([]byte, 64<<10)
			n, err := tty.Read(b)
			if err != nil {
				return
			}
			read <- b[:n]
		}
	}()
	screen, late := term.New(cols, rows, 0), time.After(patience)
	for {
		select {
		case b, ok := <-read:
			if !ok {
				return nil, fmt.Errorf("it ended before it showed %q:\n%s", s.shows, text(screen))
			}
			_, _ = screen.Write(b)
		case <-late:
			return nil, fmt.Errorf("it did not show %q in %s:\n%s", s.shows, patience, text(screen))
		}
		if s.shows.MatchString(text(screen)) {
			go func() { // the demo goes on until it is told to end
				for range read {
				}
			}()
			return screen, nil
		}
	}
}

// text is what a screen shows, without its colours.
func text(s *term.Screen) string {
	var b strings.Builder
	for y := range rows {
		for x := range cols {
			b.WriteString(s.CellAt(x, y).Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
