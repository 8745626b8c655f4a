package term

import (
	"bytes"
	"fmt"
	"testing"
	"unicode"

	"ocaptain/ui/term/columns"

	"ocaptain/tasks/eventually"
)

func TestWidthsAreThoseOfTmux(t *testing.T) {
	m := newTmux(t, testCols, testRows)
	p := m.panes(1)[0]
	defer p.close()
	var runes []rune
	for r := rune(0xa0); r < 0x110000; r++ {
		if big := r >= 0x3400 && r < 0xf900 || r >= 0x17000; big && r%61 != 0 && (r < 0x1f000 || r > 0x1fbff) {
			continue // Han, Hangul and the like, private use
		}
		if unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf, unicode.Co) && r != columns.Joiner {
			runes = append(runes, r)
		}
	}
	known := 0
	for len(runes) > 0 {
		n := min(1000, len(runes))
		for i, got := range p.widths(runes[:n]) {
			r := runes[i]
			if got == 0 && !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
				continue // newer than the C library, so tmux does not print it
			}
			known++
			if width := max(0, columns.Of(r)); got != width {
				t.Errorf("width of %U is %d and should be %d", r, width, got)
			}
		}
		runes = runes[n:]
	}
	t.Logf("%d characters", known)
}

// widths returns how far tmux moves the cursor for each character.
func (p *pane) widths(runes []rune) []int {
	p.m.t.Helper()
	var b bytes.Buffer
	for _, r := range runes {
		fmt.Fprintf(&b, "\r%c\x1b[6n", r)
	}
	p.answers = p.answers[:0]
	rest := b.Bytes()
	ctx, cancel := eventually.WithPatience(p.m.t.Context())
	defer cancel()
	for bytes.Count(p.answers, []byte("R")) < len(runes) {
		if ctx.Err() != nil {
			p.m.t.Fatalf("tmux answered %q", p.answers)
		}
		rest = p.exchange(rest)
	}
	var widths []int
	for answer := range bytes.SplitSeq(bytes.TrimSuffix(p.answers, []byte("R")), []byte("R")) {
		x, _, _ := report(append(answer, 'R'))
		widths = append(widths, x)
	}
	return widths
}
