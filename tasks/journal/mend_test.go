package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fails makes the disk refuse writes while the returned value is true, and read the refused blocks as empty
// afterwards, as ext4 does. Only records that the journal cuts off and writes again survive.
func fails(j *Journal, from int64) *atomic.Bool {
	var broken atomic.Bool
	broken.Store(true)
	first := true
	j.FlushBy(func(f *os.File) error {
		if !broken.Load() {
			return f.Sync()
		}
		if !first { // writing the refused blocks again in place does not help
			return errors.New("no space left")
		}
		first = false
		over, err := os.OpenFile(f.Name(), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer over.Close()
		info, err := over.Stat()
		if err != nil {
			return err
		}
		_, _ = over.WriteAt(make([]byte, info.Size()-from), from)
		return errors.New("no space left")
	})
	return &broken
}

// soonAgain makes the journal retry without a pause.
func soonAgain(j *Journal) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tried = time.Time{}
}

// After the disk refused, a journal recovers by itself with all records, and reports no success before.
func TestMend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j, other := open(t, path), open(t, path)
	one, err := j.Append("k", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.AddRecord("k", 2); err != nil {
		t.Fatal(err)
	}
	broken := fails(j, one)
	if _, err := j.Append("k", 3); err == nil || err.Error() != "write journal to disk: no space left" {
		t.Fatalf("got %v", err)
	}
	for range 3 {
		soonAgain(j)
		if err := j.Sync(); err == nil {
			t.Fatal("promised what is not there")
		}
		if _, err := j.AddRecord("k", "refused"); err == nil {
			t.Fatal("taken")
		}
	}
	broken.Store(false)
	if err := j.Sync(); err == nil {
		t.Fatal("tried again without a pause")
	}
	soonAgain(j)
	if _, err := j.Append("k", 4); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Append("other", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append("k", 5); err != nil {
		t.Fatal(err)
	}
	words, _ := all(t, path, 0)
	expect(t, words, "k1", "k2", "k3", "k4", "othernull", "k5")
	if len(j.kept.pieces) > 0 || j.kept.size > 0 {
		t.Errorf("keeps %d bytes that are on the disk", j.kept.size)
	}
}

// A journal with more unsynced records than it keeps does not recover.
func TestMendTooMuch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j := open(t, path)
	text := strings.Repeat("x", 1<<20)
	for range 5 {
		if _, err := j.AddRecord("k", text); err != nil {
			t.Fatal(err)
		}
	}
	broken := fails(j, 0)
	if err := j.Sync(); err == nil || !strings.Contains(err.Error(), "start again") {
		t.Fatalf("got %v", err)
	}
	broken.Store(false)
	soonAgain(j)
	if _, err := j.Append("k", 1); err == nil {
		t.Error("goes on without what was noted")
	}
}

// Records of another process among the refused ones are left alone.
func TestMendNotAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j, other := open(t, path), open(t, path)
	for _, w := range []*Journal{j, other, j} {
		if _, err := w.AddRecord("k", nil); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.ReadFile(path)
	j.FlushBy(func(*os.File) error { return errors.New("no space left") })
	if err := j.Sync(); err == nil {
		t.Fatal("promised what is not there")
	}
	j.FlushBy(nil)
	soonAgain(j)
	if err := j.Sync(); err == nil || !strings.Contains(err.Error(), "records of another process: start again") {
		t.Errorf("got %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Errorf("%q became %q", before, after)
	}
}

// Another file in place of the journal is left alone.
func TestMendAnotherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j := open(t, path)
	broken := fails(j, 0)
	if _, err := j.Append("k", 1); err == nil {
		t.Fatal("promised what is not there")
	}
	broken.Store(false)
	others := []byte("others\n")
	if err := errors.Join(os.Remove(path), os.WriteFile(path, others, 0o600)); err != nil {
		t.Fatal(err)
	}
	soonAgain(j)
	if err := j.Sync(); err == nil || !strings.Contains(err.Error(), "another file") {
		t.Errorf("got %v", err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, others) {
		t.Errorf("it holds %q", got)
	}
}
