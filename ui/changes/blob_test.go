package changes

import (
	"errors"
	"testing"
)

func TestReadFile(t *testing.T) {
	y := newYard(t)
	done := y.merged("1")
	c, err := OfTask(t.Context(), y.dir, &done)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.txt", "./x/../b.txt"} {
		if text, err := c.ReadFile(t.Context(), y.dir, name); err != nil || string(text) != "x\ny\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for _, name := range []string{"none", "", ".", "/etc/passwd", "../workspace/b.txt", "\x1b[2J"} {
		var none *NotFound
		if text, err := c.ReadFile(t.Context(), y.dir, name); !errors.As(err, &none) {
			t.Errorf("%q: %q, %v", name, text, err)
		}
	}
}
