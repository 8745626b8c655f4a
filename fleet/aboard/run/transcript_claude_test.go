package run

import (
	"path/filepath"
	"testing"
)

// claudeFilesOf lists the transcripts on a ship.
func claudeFilesOf(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".claude", "projects", "*", "*.jsonl"))
	if err != nil || len(found) == 0 {
		t.Fatalf("transcripts are %q, %v", found, err)
	}
	return found
}
