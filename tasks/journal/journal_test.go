package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// note is the data of the records in these tests.
type note struct {
	Writer string
	N      int
}

func open(t testing.TB, path string) *Journal {
	t.Helper()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// all reads the records from an offset on; damaged records are "?".
func all(t testing.TB, path string, from int64) (words []string, next int64) {
	t.Helper()
	next, err := Read(path, from, func(r Record) error {
		if r.Kind == Damaged {
			words = append(words, "?")
		} else {
			words = append(words, r.Kind+string(r.Data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return words, next
}

func expect(t testing.TB, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, " | ") != strings.Join(want, " | ") {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestAppendRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	words, next := all(t, path, 0) // before the file exists
	expect(t, words)
	j := open(t, path)
	one, err := j.Append("a", note{"x\n<", 1})
	if err != nil {
		t.Fatal(err)
	}
	two, err := j.AddRecord("b", nil)
	if err != nil {
		t.Fatal(err)
	}
	words, next = all(t, path, next)
	expect(t, words, `a{"Writer":"x\n\u003c","N":1}`, "bnull")
	if next != two {
		t.Errorf("reading ended at %d, the last record at %d", next, two)
	}
	words, _ = all(t, path, one)
	expect(t, words, "bnull")
	words, _ = all(t, path, two)
	expect(t, words)
	if _, err := Read(path, two+1, nil); !errors.Is(err, ErrShort) {
		t.Errorf("reading past the end: %v", err)
	}
	if _, err := Read(path+"x", 1, nil); !errors.Is(err, ErrShort) {
		t.Errorf("reading on in a missing file: %v", err)
	}
	if _, err := j.Append("", 1); err == nil {
		t.Error("a record without kind was taken")
	}
	if _, err := j.Append("large", strings.Repeat("x", MaxLine)); err == nil {
		t.Error("a record that is too long was taken")
	}
	if _, err := j.Append("odd", make(chan int)); err == nil {
		t.Error("a record that is no JSON was taken")
	}
	stop := errors.New("stop")
	if at, err := Read(path, 0, func(r Record) error {
		if r.Kind == "b" {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) || at != one {
		t.Errorf("a reader that stops got %v at %d, want to go on at %d", err, at, one)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("x", 3600))
	if _, err := j.NoteAt(at, "c", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, two, func(r Record) error {
		if !r.At.Equal(at) || r.At.Location() != time.UTC {
			t.Errorf("time is %v, want %v", r.At, at)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j := open(t, path)
	for i := range 3 {
		if _, err := j.Append("k", i); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", MaxLine)
	if err := os.WriteFile(path, []byte("garbage\n\n"+string(data)+`{"kind":"no time"}`+"\n"+long+"\n\x00\x00\n"+string(data)), 0o600); err != nil {
		t.Fatal(err)
	}
	words, _ := all(t, path, 0)
	expect(t, words, "?", "?", "k0", "k1", "k2", "?", "?", "?", "k0", "k1", "k2")
}

// TestTorn cuts a journal at every byte. A record that was cut never counts, even if it lacks only its newline, and
// never damages the next record.
func TestTorn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "events.jsonl")
	j := open(t, path)
	var ends []int64
	for i := range 3 {
		seq, err := j.Append("k", i)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, seq)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(data) + 1 {
		torn := filepath.Join(dir, fmt.Sprint(cut))
		if err := os.WriteFile(torn, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		var want []string
		var whole int64
		for i, end := range ends {
			if int64(cut) >= end {
				want = append(want, fmt.Sprint("k", i))
				whole = end
			}
		}
		words, next := all(t, torn, 0)
		expect(t, words, want...)
		if next != whole {
			t.Fatalf("cut at %d: reading ended at %d, want %d", cut, next, whole)
		}
		after, err := Open(torn)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"x", "y"} {
			if _, err := after.AddRecord(kind, 1); err != nil {
				t.Fatal(err)
			}
		}
		after.Close()
		words, _ = all(t, torn, whole)
		if int64(cut) == whole {
			expect(t, words, "x1", "y1")
		} else {
			expect(t, words, "?", "x1", "y1")
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"at":"2026-01-02T03:04:05Z","kind":"k","data":{"a":1}}` + "\n"))
	f.Add([]byte("\n\n{}\n!torn\nnull\n"))
	f.Add([]byte(`{"at":"2026-01-02T03:04:05Z","kind":"k"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "events.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var last int64
		lines := 0
		next, err := Read(path, 0, func(r Record) error {
			if r.Seq <= last || data[r.Seq-1] != '\n' {
				t.Fatalf("a record ends at %d, after one at %d", r.Seq, last)
			}
			if r.Kind == Damaged && r.Data != nil {
				t.Fatal("a damaged record has data")
			}
			last = r.Seq
			lines++
			return nil
		})
		if err != nil || next != last {
			t.Fatalf("read to %d, last record ended at %d: %v", next, last, err)
		}
		if want := strings.Count(string(data), "\n"); lines != want {
			t.Fatalf("%d records, %d lines", lines, want)
		}
		j, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.AddRecord("mine", 1); err != nil {
			t.Fatal(err)
		}
		j.Close()
		words, _ := all(t, path, 0)
		if words[len(words)-1] != "mine1" || len(words) > lines+2 {
			t.Fatalf("after appending: %q", words)
		}
	})
}

// BenchmarkAppend shows the gain from sharing the wait for the disk.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			j := open(b, filepath.Join(b.TempDir(), "events.jsonl"))
			b.SetParallelism(writers)
			b.ResetTimer()
			if writers == 1 {
				for b.Loop() {
					if _, err := j.Append("k", note{"x", 1}); err != nil {
						b.Fatal(err)
					}
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := j.Append("k", note{"x", 1}); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// A flipped bit never turns a record into another, and damages only its own record.
func TestFlippedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j := open(t, path)
	for i := range 3 {
		if _, err := j.Append("k", i); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(data) {
		flipped := slices.Clone(data)
		flipped[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		words, _ := all(t, path, 0)
		good := 0
		for _, w := range words {
			if slices.Contains([]string{"k0", "k1", "k2"}, w) {
				good++
			} else if w != "?" {
				t.Fatalf("bit %d: read %q", bit, w)
			}
		}
		if good < 1 {
			t.Fatalf("bit %d: read %q", bit, words)
		}
	}
}

// The journal notices what other processes do to its file, and can bring the file back.
func TestReclaim(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"removed":  os.Remove,
		"cut":      func(path string) error { return os.Truncate(path, 3) },
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, []byte("x\n"), 0o600)) },
		"directory": func(path string) error {
			return errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o755))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "events.jsonl")
			j := open(t, path)
			if _, err := j.Append("k", 1); err != nil {
				t.Fatal(err)
			}
			if !j.Intact() {
				t.Fatal("not intact at first")
			}
			if err := harm(path); err != nil {
				t.Fatal(err)
			}
			if j.Intact() {
				t.Fatal("the harm was not seen")
			}
			if err := j.Reclaim(); err != nil {
				t.Fatal(err)
			}
			if _, err := j.Append("k", 2); err != nil || !j.Intact() {
				t.Fatalf("not intact afterwards: %v", err)
			}
			want := []string{"k1", "k2"}
			switch name {
			case "cut":
				want = []string{"?", "k2"}
			case "emptied":
				want = []string{"k2"}
			}
			words, _ := all(t, path, 0)
			expect(t, words, want...)
		})
	}
}

// TestAddRecords adds several records at once, behind the unfinished line of another writer. If one of them cannot be added, none is.
func TestAddRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j := open(t, path)
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	several := func(kinds ...string) (all []Record) {
		for _, kind := range kinds {
			all = append(all, Record{At: time.Now(), Kind: kind, Data: []byte("1"), From: "1-x"})
		}
		return all
	}
	long := Record{Kind: "long", Data: []byte(strings.Repeat("1", MaxLine))}
	for what, more := range map[string][]Record{"no kind": several(""), "too long": {long}} {
		if _, err := j.AddRecords(append(several("a"), more...)); err == nil {
			t.Errorf("%s: it was added", what)
		}
	}
	end, err := j.AddRecords(several("a", "b", "c"))
	if err == nil {
		err = j.Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	words, next := all(t, path, 0)
	expect(t, words, "?", "a1", "b1", "c1")
	if next != end || j.Size() != end {
		t.Errorf("the last record ends at %d, the file at %d; it said %d", next, j.Size(), end)
	}
}
