package e2e

import (
	"strings"
	"testing"

	"ocaptain/ui/term"
)

// TestDemoOnTerminal watches a demonstration and presses no key: the dashboard closes by itself some time after the
// end, and the verdict is below it. The test runs many processes: 28 tasks on three ships, each with hooks, git on
// both sides, a merge and a check.
func TestDemoOnTerminal(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := newDesk(t, c, 120, 40, "demo")
	d.see("the voyage", has("[1] Agents", "harbor", "● live"))
	d.see("its end", all(top("complete"), bottom("any key keeps it open")))
	if code := d.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	d.isLeft(t)
	if v := d.look(); !has("Every task was completed by exactly one accepted claim, and the work is verified.", "verify ✓ passed")(v) || !hasNot("[1] Agents")(v) {
		t.Errorf("no verdict:\n%s", v.text)
	}
}

// TestFirstScreen opens the dashboard before the first voyage: it says how to begin, and what the doctor finds.
func TestFirstScreen(t *testing.T) {
	t.Parallel()
	d := newDesk(t, newCaptain(t), 120, 40)
	d.see("how to begin", has("no voyage yet", "ocaptain demo"))
	d.see("what the doctor finds", all(hasNot("looking at this machine"), has("ocaptain doctor")))
	d.leave(t)
}

// isLeft fails the test when the program has not given the terminal back as it was.
func (d *desk) isLeft(t testing.TB) {
	t.Helper()
	raw, modes, _ := d.written()
	if modes != (term.Modes{}) {
		t.Errorf("the terminal is left as %+v", modes)
	}
	d.mu.Lock()
	cursor := d.screen.Cursor()
	d.mu.Unlock()
	if !cursor.Visible {
		t.Error("the cursor is left hidden")
	}
	for on, off := range map[string]string{"\x1b[>1u": "\x1b[<1u", "\x1b[?2026h": "\x1b[?2026l", "\x1b[?1004h": "\x1b[?1004l", "\x1b[?2004h": "\x1b[?2004l"} {
		if strings.LastIndex(string(raw), on) > strings.LastIndex(string(raw), off) {
			t.Errorf("%q was not taken back", on)
		}
	}
}

// leave quits the dashboard.
func (d *desk) leave(t testing.TB) {
	t.Helper()
	d.enter("q")
	if code := d.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	d.isLeft(t)
}
