package orders

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// All files arrive as they were sent, and replace older files. None is written if the connection breaks or a path
// leads outside.
func TestOrders(t *testing.T) {
	home := t.TempDir()
	files := []File{{"a/b.json", 0o600, []byte("{}")}, {"verify.sh", 0o755, []byte("#!/bin/sh\n\xff")}}
	send := func(files []File) string {
		r, err := Send(files)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := io.ReadAll(r)
		return string(raw)
	}
	all := send(files)
	if err := Receive(home, strings.NewReader(all[:len(all)-1])); err == nil {
		t.Error("a part is taken for all")
	}
	if _, err := os.Stat(filepath.Join(home, "a")); err == nil {
		t.Error("a part is written")
	}
	if err := os.WriteFile(filepath.Join(home, "verify.sh"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Receive(home, strings.NewReader(all)); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(home, f.Name))
		info, statErr := os.Stat(filepath.Join(home, f.Name))
		if err != nil || statErr != nil || string(raw) != string(f.Content) || info.Mode().Perm() != f.Mode {
			t.Errorf("%s is %q, %v, %v, %v", f.Name, raw, info.Mode(), err, statErr)
		}
	}
	if err := Receive(home, strings.NewReader(send([]File{{"../out", 0o600, nil}}))); err == nil {
		t.Error("a file outside is written")
	}
}
