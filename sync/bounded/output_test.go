package bounded

import (
	"io"
	"os/exec"
	"strings"
	"testing"
)

// TestTheBoundHolds: the bound holds for bytes that are written, copied, or printed by a program, whose output
// os/exec copies from a file.
func TestTheBoundHolds(t *testing.T) {
	const most = 1000
	for name, fill := range map[string]func(io.Writer, string) error{
		"written": func(w io.Writer, s string) error { _, err := w.Write([]byte(s)); return err },
		"copied": func(w io.Writer, s string) error {
			_, err := io.Copy(w, io.LimitReader(strings.NewReader(s), int64(len(s))))
			return err
		},
		"of a string": func(w io.Writer, s string) error { _, err := io.Copy(w, strings.NewReader(s)); return err },
		"of a program": func(w io.Writer, s string) error {
			cmd := exec.Command("sh", "-c", `printf %s "$0"`, s)
			cmd.Stdout = w
			return cmd.Run()
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 1, most - 1, most, most + 1, 100 * most} {
				all := strings.Repeat("x", n)
				keeps, refuses, end := NewOutput(most), Refuse(most), NewEnd(most)
				if err := fill(end, all+"y"); err != nil || end.String() != (all + "y")[max(0, n+1-most):] {
					t.Errorf("of %d bytes and one the end is %d bytes, %v", n, len(end.String()), err)
				}
				if err := fill(keeps, all); err != nil {
					t.Errorf("%d bytes are not dropped: %v", n, err)
				}
				if err := fill(refuses, all); (err != nil) != (n > most) {
					t.Errorf("%d bytes are refused so: %v", n, err)
				}
				for _, o := range []*Output{keeps, refuses} {
					if o.IsOver() != (n > most) || o.String() != all[:min(n, most)] || len(o.Bytes()) != min(n, most) {
						t.Errorf("of %d bytes it keeps %d, over is %t", n, len(o.Bytes()), o.IsOver())
					}
				}
			}
		})
	}
}

// TestAProgramWithoutEnd: Refuse ends a program with endless output, and does not fill the memory.
func TestAProgramWithoutEnd(t *testing.T) {
	o := Refuse(1 << 20)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec yes")
	cmd.Stdout = o
	if err := cmd.Run(); err == nil || !o.IsOver() || len(o.Bytes()) != 1<<20 {
		t.Errorf("it ended with %v and kept %d bytes", err, len(o.Bytes()))
	}
}

// TestOnlyOneWayIn: Output must not implement io.ReaderFrom, which io.Copy would use.
func TestOnlyOneWayIn(t *testing.T) {
	if _, ok := any(NewOutput(1)).(io.ReaderFrom); ok {
		t.Error("it reads by itself")
	}
}
