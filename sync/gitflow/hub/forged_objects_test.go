package hub

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestForgedObjects(t *testing.T) {
	h, dir, w := forge(t, Options{})
	for name, make := range map[string]func(w workshop) []byte{
		"no commit": func(w workshop) []byte { b := w.blob("x"); return w.answer(b, w.pack(b)) },
		"tag": func(w workshop) []byte {
			id := w.object("tag", fmt.Appendf(nil, "object %s\ntype commit\ntag v\ntagger E <e@e> 1700000000 +0000\n\nx\n", w.base))
			return w.answer(id, w.pack(id))
		},
		"bad commit": func(w workshop) []byte {
			id := w.object("commit", []byte("tree nonsense\n\nx\n"))
			return w.answer(id, w.pack(id))
		},
		"missing parent": func(w workshop) []byte {
			b := w.blob("x")
			tree := w.tree(entry{"100644", "a", b})
			w.base = strings.Repeat("12", 20)
			c := w.commit(tree)
			return w.answer(c, w.pack(c, tree, b))
		},
		"another commit": func(w workshop) []byte {
			b := w.blob("x")
			tree := w.tree(entry{"100644", "a", b})
			return w.answer(strings.Repeat("12", 20), w.pack(w.commit(tree), tree, b))
		},
		"absurd count": func(w workshop) []byte { return w.answer(w.base, []byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff")) },
		"lying count":  func(w workshop) []byte { return w.answer(w.base, []byte("PACK\x00\x00\x00\x02\x00\x0f\xff\xff")) },
		"absurd size": func(w workshop) []byte {
			// One blob that claims to have 2^60 bytes.
			return w.answer(w.base, []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\xb0\x80\x80\x80\x80\x80\x80\x80\x40x\x9c"))
		},
		"no pack":       func(w workshop) []byte { return w.answer(w.base, []byte("this is not a pack, not at all")) },
		"cut off":       func(w workshop) []byte { a := w.snapshot(w.tree()); return a[:len(a)-10] },
		"wrong sum":     func(w workshop) []byte { a := w.snapshot(w.tree()); a[len(a)-1] ^= 1; return a },
		"more follows":  func(w workshop) []byte { return append(w.snapshot(w.tree()), strings.Repeat("x", 1<<20)...) },
		"unannounced":   func(w workshop) []byte { return append(w.answer(w.base, nil), "junk"...) },
		"not sent":      func(w workshop) []byte { return w.answer(strings.Repeat("12", 20), nil) },
		"nothing":       func(w workshop) []byte { return nil },
		"no JSON":       func(w workshop) []byte { return []byte("hello\n") },
		"no line":       func(w workshop) []byte { return []byte("{") },
		"endless line":  func(w workshop) []byte { return bytes.Repeat([]byte("{\"Commit\":\""), 1<<16) },
		"escape":        func(w workshop) []byte { return []byte("{\"Commit\":\"\\u001b[2J\"}\n") },
		"ref as object": func(w workshop) []byte { return w.answer("refs/heads/voyage", nil) },
		"option":        func(w workshop) []byte { return w.answer("--all", nil) },
		"upper hex":     func(w workshop) []byte { return w.answer(strings.ToUpper(w.base), nil) },
		"empty":         func(w workshop) []byte { return w.answer("", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			rejected(t, h, dir, w, make(w))
		})
	}
}
