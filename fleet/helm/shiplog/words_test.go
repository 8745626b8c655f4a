package shiplog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLastWords reads the end of a ship's log, whatever its size and content.
func TestLastWords(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ship-0.jsonl")
	if got := LastWords(path); got != nil {
		t.Errorf("of no log: %q", got)
	}
	var log strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&log, `{"ship":"ship-0","kind":"tool","text":"Edit file%d \u001b[31m%s"}`+"\n", i, strings.Repeat("x", 100))
		log.WriteString(`{"ship":"ship-0","kind":"prompt","text":"not this"}` + "\n{broken\n")
	}
	log.WriteString(`{"ship":"ship-0","kind":"say","text":"I am done."}` + "\n" + `{"ship":"ship-0","kind":"say","te`)
	if err := os.WriteFile(path, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got := LastWords(path)
	if len(got) != 40 || got[39] != "say: I am done." || !strings.HasPrefix(got[38], "tool: Edit file4999 \x1b[31mxxx") {
		t.Errorf("got %d, %q", len(got), got[max(0, len(got)-2):])
	}
	if all := strings.Join(got, "\n"); strings.Contains(all, "not this") {
		t.Errorf("got %s", all)
	}
}
