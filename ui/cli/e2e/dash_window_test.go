package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/ui/term/sgr"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/term"
)

// window is a captain's terminal: a real tmux with a shell in it, at which the captain
// types and on which the captain reads.
type window struct {
	testing.TB
	c          *captain
	socket     string
	cols, rows int
}

// newWindow opens a terminal of that size, and closes it at the end of the test.
func newWindow(t testing.TB, c *captain, cols, rows int) *window {
	t.Helper()
	w := &window{TB: t, c: c, socket: filepath.Join(t.TempDir(), "tmux"), cols: cols, rows: rows}
	conf := w.socket + ".conf"
	text := "set -g default-terminal tmux-256color\nset -g status off\nset -g set-clipboard on\nset -g escape-time 0\nset -g focus-events on\n"
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.tmux("-f", conf, "-u", "new-session", "-d", "-s", "w", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "exec sh")
	t.Cleanup(func() { w.tmux("kill-server") })
	w.see("the shell", func(v view) bool { return strings.ContainsAny(v.text, "$#") })
	w.run(`PS1="$(printf ashore)> "; clear`)
	w.see("a prompt", ashore)
	return w
}

// tmux runs a command of the tmux that emulates the captain's terminal.
func (w *window) tmux(args ...string) string {
	w.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", w.socket}, args...)...)
	cmd.Env = []string{"TERM=xterm-256color"}
	for _, kv := range w.c.env {
		if !strings.HasPrefix(kv, "NO_COLOR=") && !strings.HasPrefix(kv, "TERM=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Dir = w.c.home
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// view is what a terminal shows at a moment.
type view struct {
	text  string
	cells *term.Screen
}

// look reads the screen.
func (w *window) look() view {
	w.Helper()
	return viewOf(w.tmux("capture-pane", "-p", "-e", "-N", "-t", "w:"), w.cols, w.rows)
}

// viewOf returns the screen that capture-pane wrote.
func viewOf(captured string, cols, rows int) view {
	s := term.New(cols, rows, 0)
	_, _ = s.Write([]byte(strings.ReplaceAll(captured, "\n", "\r\n")))
	return view{plain(s), s}
}

// plain returns the text of a screen, a line for each row.
func plain(s *term.Screen) string {
	var b bytes.Buffer
	cols, rows := s.Size()
	for y := range rows {
		var line strings.Builder
		for x := range cols {
			c := s.CellAt(x, y)
			if c.Width == 0 {
				continue
			}
			if c.Text == "" {
				c.Text = " "
			}
			line.WriteString(c.Text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// sight reports whether a screen shows something.
type sight func(view) bool

// has returns a sight of all these texts.
func has(texts ...string) sight {
	return func(v view) bool {
		for _, t := range texts {
			if !strings.Contains(v.text, t) {
				return false
			}
		}
		return true
	}
}

// hasNot returns a sight of a screen without any of these texts.
func hasNot(texts ...string) sight {
	return func(v view) bool {
		for _, t := range texts {
			if strings.Contains(v.text, t) {
				return false
			}
		}
		return true
	}
}

// lit returns a sight of a highlighted text.
func lit(text string) sight {
	return func(v view) bool {
		for y, line := range strings.Split(v.text, "\n") {
			for at := strings.Index(line, text); at >= 0; {
				if isLit(v.cells.CellAt(len([]rune(line[:at])), y)) {
					return true
				}
				next := strings.Index(line[at+1:], text)
				if next < 0 {
					break
				}
				at += 1 + next
			}
		}
		return false
	}
}

func isLit(c term.Cell) bool {
	return c.Style.Bg.Kind() != sgr.DefaultColor || c.Style.Attrs&sgr.Reverse != 0
}

// all returns a sight of all these sights at once.
func all(sights ...sight) sight {
	return func(v view) bool {
		for _, s := range sights {
			if !s(v) {
				return false
			}
		}
		return true
	}
}

// bottom returns a sight of a text in the last row: the footer says where keys go.
func bottom(text string) sight {
	return func(v view) bool {
		lines := strings.Split(strings.TrimRight(v.text, "\n"), "\n")
		return strings.Contains(lines[len(lines)-1], text)
	}
}

// top returns a sight of a text in the first row.
func top(text string) sight {
	return func(v view) bool { return strings.Contains(v.text[:strings.IndexByte(v.text, '\n')], text) }
}

// ashore is the sight of the shell's prompt in the last line: no program has the terminal.
func ashore(v view) bool { return strings.HasSuffix(strings.TrimRight(v.text, "\n "), "ashore>") }

// see waits until the screen shows something.
func (w *window) see(what string, s sight) view {
	w.Helper()
	var v view
	eventually.Succeeds(w, "the screen shows "+what, func() error {
		if v = w.look(); !s(v) {
			return errors.New("it shows\n" + v.text)
		}
		return nil
	})
	return v
}

// press sends keys by tmux's names for them and waits until the screen shows something.
func (w *window) press(keys, what string, s sight) view {
	w.Helper()
	w.keys(strings.Fields(keys)...)
	return w.see(what+" after "+keys, s)
}

// keys sends keys by tmux's names for them.
func (w *window) keys(names ...string) {
	w.Helper()
	w.tmux(append([]string{"send-keys", "-t", "w:"}, names...)...)
}

// enter types a text.
func (w *window) enter(text string) {
	w.Helper()
	w.tmux("send-keys", "-t", "w:", "-l", text)
}

// run types a command at the shell.
func (w *window) run(command string) {
	w.Helper()
	w.enter(command)
	w.keys("Enter")
}

// modes returns the modes of the terminal that were set and not reset. A shell sets none.
func (w *window) modes() string {
	w.Helper()
	return w.tmux("display-message", "-p", "-t", "w:", "alternate #{alternate_on} mouse #{mouse_any_flag}#{mouse_button_flag}#{mouse_standard_flag}#{mouse_sgr_flag} "+
		"cursor #{cursor_flag} keypad #{keypad_flag}#{keypad_cursor_flag} insert #{insert_flag} origin #{origin_flag} wrap #{wrap_flag} region #{scroll_region_upper} #{scroll_region_lower}")
}

// line returns the settings of the terminal's line, as stty prints them.
func (w *window) line() string {
	w.Helper()
	tty := w.tmux("display-message", "-p", "-t", "w:", "#{pane_tty}")
	out, err := exec.Command("stty", "-a", "-F", tty).CombinedOutput()
	if err != nil {
		w.Fatalf("stty %s: %v\n%s", tty, err, out)
	}
	return string(out)
}

// program returns the process that the shell has started on the terminal.
func (w *window) program() int {
	w.Helper()
	shell := w.tmux("display-message", "-p", "-t", "w:", "#{pane_pid}")
	raw, err := os.ReadFile("/proc/" + shell + "/task/" + shell + "/children")
	var pid int
	if _, scan := fmt.Sscan(string(raw), &pid); err != nil || scan != nil {
		w.Fatalf("no process runs in the terminal: %v", err)
	}
	return pid
}
