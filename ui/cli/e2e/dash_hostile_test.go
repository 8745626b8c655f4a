//go:build long

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
	"ocaptain/tasks/eventually"
)

// bombs is output of a ship that tries to do more to a terminal than fill its cells.
const bombs = `\033]52;c;SE9TVElMRQ==\007\033]0;HOSTILE TITLE\007\033]2;HOSTILE TITLE\033\\\033]8;;http://hostile.example\033\\link\033]8;;\033\\` +
	`\033Pq#0;2;0;0;0~-\033\\\033P+q544e\033\\\033[99999999;99999999H\033[99999999@\033[99999999L\033[>99999999u\033[?1003h\033[?1049h\033[?2026h` +
	`\033c\033_Gf=100;QUJD\033\\\033^private\033\\\033[8;999;999t\033[21t\033[c\033[6n\0337\0338\033(0lqk\033(B\033]4;1;rgb:ff/00/00\007\007\r\nbombs fell\r\n`

// fakeTmux takes the place of tmux on a hostile ship: a live view of the ship gets the content of a file instead of
// tmux's output.
const fakeTmux = `#!/bin/sh
real=%[1]s
case " $* " in
*" -C "*) exec $real "$@" ;;
*" attach-session "*) exec sh %[2]s/attack ;;
esac
exec $real "$@"
`

// attack makes a ship run script in place of tmux for everyone who looks at it, from the next stream on.
func (c *captain) attack(t testing.TB, d fleet.Dir, name, script string) {
	t.Helper()
	home := c.ship(t, d, name).Home
	for file, text := range map[string]string{"attack": script, ".local/bin/tmux": fmt.Sprintf(fakeTmux, realTmux(t), home)} {
		path := filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostileShip looks at a ship that floods, prints escape sequences, changes its size without end, and at last
// hangs. The captain's keys still work, and the captain's terminal gets nothing but the ship's cells.
func TestHostileShip(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := c.sailGated(t, "hostile", 2, gatedPlan(3))
	const first, second = "1  Build part 1", "2  Build part 2"

	t.Run("escapes", func(t *testing.T) {
		c.attack(t, d, "ship-0", "i=0; while :; do printf '"+bombs+"'; i=$((i+1)); echo bomb number $i; sleep 0.02; done\n")
		w := newWindow(t, c, 120, 40)
		w.tmux("set-buffer", "mine")
		raw := filepath.Join(t.TempDir(), "raw")
		w.tmux("pipe-pane", "-O", "-t", "w:", "cat >"+raw)
		w.run(c.program)
		w.see("the attack", has("[4] ship-0", "● live", "bombs fell", "bomb number"))
		for _, key := range []string{"4", "f", "f", "o", "o", "1"} {
			w.press(key, "the attack", has("bombs fell"))
		}
		w.see("many bombs", func(v view) bool {
			_, after, _ := strings.Cut(v.text, "bomb number ")
			n := 0
			_, _ = fmt.Sscan(after, &n)
			return n > 100
		})
		if title := w.tmux("display-message", "-p", "-t", "w:", "#{pane_title}"); title != "ocaptain: hostile" {
			t.Errorf("the title of the terminal is %q", title)
		}
		if got := w.tmux("show-buffer"); got != "mine" {
			t.Errorf("the clipboard has %q", got)
		}
		w.press("q", "the shell", ashore)
		out, err := os.ReadFile(raw)
		if err != nil || len(out) == 0 {
			t.Fatalf("%d bytes were written to the terminal, %v", len(out), err)
		}
		if found := leaks(out); len(found) > 0 {
			t.Errorf("the ship got to the terminal: %s", strings.Join(found, ", "))
		}
	})

	// Keys are typed in one dashboard: first during a quiet time, then in each attack.
	c.attack(t, d, "ship-0", "exec "+realTmux(t)+" -L ocaptain -u attach-session -f read-only,ignore-size -t =ship\n")
	desk := newDesk(t, c, 120, 40)
	desk.see("the dashboard", has("[4] ship-0", "● live", "at the gate of", "● helm"))
	desk.enter("2g")
	desk.see("the first task selected", lit(first))
	desk.upAndDown(20, first, second) // to warm up
	const (
		keys = 120
		soon = 10 * time.Second // shorter than the time after which a silent connection is given up
	)
	t.Logf("quiet: %s", desk.upAndDown(keys, first, second))
	measure := func(t *testing.T, what string) {
		t.Helper()
		loud := desk.upAndDown(keys, first, second)
		t.Logf("%s: %s", what, loud)
		// Benchmarks measure how quick keys are, as that depends on what else the machine does.
		if worst := loud.at(1); worst > soon {
			t.Errorf("%s: a key took %s", what, worst)
		}
		raw, _, title := desk.written()
		if found := leaks(raw); len(found) > 0 || title != "ocaptain: hostile" {
			t.Errorf("%s: the ship got to the terminal, whose title is %q: %s", what, title, strings.Join(found, ", "))
		}
	}
	again := func(see string) {
		t.Helper()
		desk.enter("4]")
		desk.see("ship-1", has("[4] ship-1", "● live"))
		desk.enter("[")
		desk.see("the attack", has("[4] ship-0", see))
		desk.enter("2g")
		desk.see("the first task selected", lit(first))
	}
	t.Run("flood", func(t *testing.T) {
		c.attack(t, d, "ship-0", "exec yes 'a flood of words that nobody reads and that has no end'\n")
		again("a flood of words")
		measure(t, "flood")
	})
	t.Run("bombs", func(t *testing.T) {
		c.attack(t, d, "ship-0", "printf '"+bombs+"' >~/bombs; while :; do cat ~/bombs ~/bombs ~/bombs ~/bombs; done\n")
		again("bombs fell")
		measure(t, "bombs")
	})
	t.Run("sizes", func(t *testing.T) {
		c.attack(t, d, "ship-0", "exec "+realTmux(t)+" -L ocaptain -u attach-session -f read-only,ignore-size -t =ship\n")
		again("at the gate of")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		changes := make(chan int)
		socket := c.tmuxSocket(t, d, "ship-0")
		go func() {
			n := 0
			for ; ctx.Err() == nil; n++ {
				_ = exec.CommandContext(ctx, "tmux", "-S", socket, "resize-window", "-t", "=ship:", "-x", fmt.Sprint(60+n%100), "-y", fmt.Sprint(20+n%30)).Run()
				select {
				case <-eventually.Later(10 * time.Millisecond):
				case <-ctx.Done():
				}
			}
			changes <- n
		}()
		began := time.Now()
		measure(t, "sizes")
		stop()
		t.Logf("the window changed its size %.0f times a second", float64(<-changes)/time.Since(began).Seconds())
	})
	t.Run("hang", func(t *testing.T) {
		var stopped []int
		for _, p := range proctest.With(filepath.Join(c.hub.State, "ships", d.ID()+"-ship0")) {
			var pid int
			if _, err := fmt.Sscan(p, &pid); err == nil && strings.Contains(p, "aboard sshd") {
				stopped = append(stopped, pid)
			}
		}
		if len(stopped) == 0 {
			t.Fatal("found no SSH server of ship-0")
		}
		for _, pid := range stopped {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
		measure(t, "hang")
		desk.enter("4]")
		desk.see("another ship, live", has("[4] ship-1", "● live"))
		desk.enter("[")
		desk.see("the ship that hangs", has("[4] ship-0"))
		desk.enter("q")
		if code := desk.exit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		for _, pid := range stopped {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	})
}

// realTmux returns the path of tmux.
func realTmux(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
