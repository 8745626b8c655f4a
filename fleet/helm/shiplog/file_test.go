package shiplog

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

func logOf(t *testing.T, path string) *File {
	t.Helper()
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// TestResumes opens a log after helm was killed in the middle of a line.
func TestResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "ship-0.jsonl")
	l := logOf(t, path)
	if got := l.ResumeAt("a", 500); got != 0 {
		t.Errorf("a new journal begins at %d", got)
	}
	if _, _, err := l.Append([]fleet.LogLine{{Journal: "a", Seq: 100}, {Journal: "a", Seq: 250}}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"journal":"a","seq":30`); err != nil {
		t.Fatal(err)
	}
	f.Close()

	l = logOf(t, path)
	if l.journal != "a" || l.seq != 250 || len(l.recent) != 2 {
		t.Errorf("read %q %d, %d lines", l.journal, l.seq, len(l.recent))
	}
	for _, x := range []struct {
		journal   string
		end, want int64
	}{
		{"a", 900, 250},
		{"a", 200, 200}, // the ship's journal lost its end: what comes next is new
		{"a", -5, 0},
		{"b", 900, 0},
	} {
		l.journal, l.seq = "a", 250
		if got := l.ResumeAt(x.journal, x.end); got != x.want {
			t.Errorf("from(%s, %d) = %d, want %d", x.journal, x.end, got, x.want)
		}
	}
	if raw, _ := os.ReadFile(path); bytes.Count(raw, []byte("\n")) != 2 || !bytes.HasSuffix(raw, []byte("\n")) {
		t.Errorf("the torn line is still there: %q", raw)
	}
}

// TestTornWrite continues after an incomplete line that could not be cut off.
func TestTornWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ship-0.jsonl")
	l := logOf(t, path)
	if _, err := l.f.WriteString(`{"half`); err != nil {
		t.Fatal(err)
	}
	l.torn = true
	if _, _, err := l.Append([]fleet.LogLine{{Text: "whole", Journal: "a", Seq: 7}}); err != nil {
		t.Fatal(err)
	}
	if again := logOf(t, path); again.seq != 7 || len(again.recent) != 1 || again.recent[0].Text != "whole" {
		t.Errorf("read %+v", again)
	}
}

// A full log reports once that it is full. From then on it stores only what the ship's state depends on, up to twice the
// size, and its place in the journal still advances.
func TestFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ship-0.jsonl")
	l := logOf(t, path)
	l.most = 64 << 10
	seq, talk, told := int64(0), strings.Repeat("x", 1000), ""
	add := func(text string) {
		t.Helper()
		seq++
		_, full, err := l.Append([]fleet.LogLine{{Ship: "ship-0", Kind: "agent.state", Text: text, Journal: "a", Seq: seq}})
		if err != nil {
			t.Fatal(err)
		}
		told += full
	}
	for range 100 {
		add(talk)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), told); told == "" || n != 1 || len(raw) > 70<<10 || l.size < 100<<10 {
		t.Errorf("told %d times; %d bytes of %d", n, len(raw), l.size)
	}
	add("")
	if l = logOf(t, path); l.seq != seq {
		t.Errorf("goes on at %d, not %d", l.seq, seq)
	}
	l.most = 64 << 10
	for range 10_000 {
		add("")
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 129<<10 {
		t.Errorf("%v, %v", info, err)
	}
}
