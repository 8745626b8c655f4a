package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A command keeps its last newline; a wish loses it.
func TestFinalNewline(t *testing.T) {
	for _, wish := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "text")
		if err := os.WriteFile(file, []byte("do it\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		stdin := os.Stdin
		os.Stdin = in
		text, want := "-", "do it\n"
		if wish {
			var labels []string
			var priority int
			want = "do it"
			err = readWish(&text, &labels, &priority, "", "P2")
		} else {
			err = readText(&text)
		}
		os.Stdin = stdin
		if text != want || err != nil {
			t.Errorf("of a wish, %t: %q, %v", wish, text, err)
		}
		_ = in.Close()
	}
}
