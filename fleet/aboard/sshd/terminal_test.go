package sshd

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// The client gets all that a command printed before it ended, even if it reads late, and while other programs hold
// the terminal open.
func TestLastWords(t *testing.T) {
	term := openTerminal(ssh.Marshal(struct {
		Kind                      string
		Cols, Rows, Width, Height uint32
		Modes                     string
	}{Kind: "xterm", Cols: 80, Rows: 24}))
	if term == nil {
		t.Fatal("no terminal")
	}
	defer term.close()
	said := strings.Repeat("last words ", 300)
	if _, err := term.tty.WriteString(said); err != nil {
		t.Fatal(err)
	}
	term.finish()
	var got bytes.Buffer
	term.copyTo(&got)
	if got.String() != said {
		t.Errorf("of %d bytes %d arrive", len(said), got.Len())
	}
}
