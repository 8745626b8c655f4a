package hub

import (
	"fmt"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
)

func TestSizes(t *testing.T) {
	limits := git.Limits{File: 1 << 20, Pack: 2 << 20, Total: 4 << 20, Files: 50}
	h, dir, w := forge(t, Options{Limits: limits})
	for name, make := range map[string]func(w workshop) []byte{
		"file": func(w workshop) []byte {
			b := w.blob(strings.Repeat("x", 2<<20))
			return w.snapshot(w.tree(entry{"100644", "big", b}), b)
		},
		"bomb": func(w workshop) []byte {
			b := w.blob(strings.Repeat("\x00", 128<<20))
			return w.snapshot(w.tree(entry{"100644", "big", b}), b)
		},
		"files": func(w workshop) []byte {
			b := w.blob("x")
			var all []entry
			for i := range 60 {
				all = append(all, entry{"100644", fmt.Sprintf("f%02d", i), b})
			}
			return w.snapshot(w.tree(all...), b)
		},
		"total": func(w workshop) []byte {
			var all []entry
			var ids []string
			for i := range 10 {
				b := w.blob(strings.Repeat(fmt.Sprint(i), 900<<10))
				ids, all = append(ids, b), append(all, entry{"100644", fmt.Sprint(i), b})
			}
			return w.snapshot(w.tree(all...), ids...)
		},
		"pack": func(w workshop) []byte {
			var all []entry
			var ids []string
			random := make([]byte, 900<<10)
			for i := range 4 {
				for j := range random {
					random[j] = byte(uint32(j*j*(i+3)*2654435761) >> 13)
				}
				b := w.blob(string(random))
				ids, all = append(ids, b), append(all, entry{"100644", fmt.Sprint(i), b})
			}
			a := w.snapshot(w.tree(all...), ids...)
			if len(a) < 2<<20 {
				w.t.Fatalf("pack of %d bytes is no test", len(a))
			}
			return a
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			rejected(t, h, dir, w, make(w))
		})
	}
}
