package editor

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	draft, err := NewDraft("task 1.yaml", []byte("one\n"))
	if err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + os.Getenv("PATH")
	cmd, err := Command([]string{path, "VISUAL=", "EDITOR=nothing", "EDITOR=sed -i 's/one/two and three/'"}, draft.Path)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if is, err := os.Stat(draft.Path); err != nil || is.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", is, err)
	}
	if _, err := draft.Read(4); err == nil || !strings.Contains(err.Error(), "shorten it") {
		t.Error(err)
	}
	if raw, err := draft.Read(100); err != nil || string(raw) != "two and three\n" {
		t.Errorf("%q, %v", raw, err)
	}
	draft.Remove()
	if _, err := os.Stat(draft.Path); !os.IsNotExist(err) {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Command(nil, draft.Path); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}
