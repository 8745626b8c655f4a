package supervise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOwnLogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "helm.log")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := &boundedLog{f: f, path: path, most: 4096}
	for range 1000 {
		if _, err := b.Write([]byte(strings.Repeat("x", 39) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := f.Stat(); err != nil || info.Size() > 8192 || info.Size() < 1000 {
		t.Errorf("size %d, %v", info.Size(), err)
	}
	b.path = filepath.Join(t.TempDir(), "other") // f is another file
	b.most = 1
	before, _ := f.Stat()
	_, _ = b.Write([]byte("y"))
	if after, _ := f.Stat(); after.Size() != before.Size()+1 {
		t.Error("it shortened what is not its own")
	}
}
