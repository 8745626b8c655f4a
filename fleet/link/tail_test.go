package link

import (
	"strings"
	"testing"
)

// TestTail checks what is kept of a program's output: all of a short one, and the last whole lines of a long one.
func TestTail(t *testing.T) {
	secret := "\nTOKEN=" + strings.Repeat("0123456789abcdef", 8)
	for _, c := range []struct{ name, printed, want string }{
		{"short", "one\ntwo\xff\n", "one\ntwo\uFFFD"},
		{"just as long", "a\n" + strings.Repeat("b", tailSize-2), "a\n" + strings.Repeat("b", tailSize-2)},
		{"cut in a line", secret + "\n" + strings.Repeat("b", tailSize-60) + "\nend", strings.Repeat("b", tailSize-60) + "\nend"},
		{"cut in a line that returns", secret + "\r" + strings.Repeat("b", tailSize-60) + "\nend", strings.Repeat("b", tailSize-60) + "\nend"},
		{"one long line", strings.Repeat("b", tailSize+1), "(a line that is too long)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, step := range []int{1, 7, len(c.printed)} {
				var tail Tail
				for p := c.printed; p != ""; p = p[min(step, len(p)):] {
					if n, err := tail.Write([]byte(p[:min(step, len(p))])); n != min(step, len(p)) || err != nil {
						t.Fatal(n, err)
					}
				}
				if got := tail.String(); got != c.want {
					t.Errorf("in pieces of %d: %d bytes, %.60q…; want %d, %.60q…", step, len(got), got, len(c.want), c.want)
				}
			}
		})
	}
}
