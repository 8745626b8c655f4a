package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	screen "ocaptain/ui/dash/golden"
)

// present is the time at which tests look at the voyage in testdata.
var present = time.Date(2026, 3, 1, 11, 12, 12, 0, time.UTC)

// testBridge returns a bridge for the voyages in testdata, with output to a buffer. No helm runs, and none can be
// started.
func testBridge(t *testing.T, width int) (*bridge, *bytes.Buffer) {
	t.Helper()
	voyages, err := filepath.Abs("testdata/voyages")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var out bytes.Buffer
	return &bridge{
		hub:     fleet.Hub{Home: dir, Voyages: voyages, State: filepath.Join(dir, "state"), Config: dir, Runtime: filepath.Join(dir, "run")},
		cwd:     dir,
		environ: []string{}, in: bytes.NewReader(nil), out: plainWriter{&out}, err: plainWriter{&out}, raw: &out,
		width: width, now: func() time.Time { return present },
	}, &out
}

// plainWriter drops style, as a pipe does.
type plainWriter struct{ io.Writer }

func (w plainWriter) Write(p []byte) (int, error) {
	_, err := io.WriteString(w.Writer, ansi.Strip(string(p)))
	return len(p), err
}

// golden compares got with testdata/golden/NAME; -update overwrites the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if screen.Updating() {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at the difference, then: go test -update; got\n%s", file, got)
	}
}
