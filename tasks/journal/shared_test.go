package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

func TestManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j := open(t, path)
	const writers, each = 16, 50
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				if _, err := j.Append("k", note{fmt.Sprint(w), i}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	inOrder(t, path, writers*each)
}

// inOrder checks that no record is damaged and that each writer's records are complete and in order.
func inOrder(t *testing.T, path string, want int) {
	t.Helper()
	next := map[string]int{}
	n := 0
	if _, err := Read(path, 0, func(r Record) error {
		var d note
		if err := json.Unmarshal(r.Data, &d); err != nil || d.N != next[d.Writer] {
			t.Errorf("record %q (%v): want number %d", r.Data, err, next[d.Writer])
		}
		next[d.Writer]++
		n++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n != want {
		t.Errorf("%d records, want %d", n, want)
	}
}

// TestManyProcesses lets several processes append to one file.
func TestManyProcesses(t *testing.T) {
	if path := os.Getenv("JOURNAL_TEST_WRITER"); path != "" {
		j := open(t, path)
		for i := range 200 {
			if _, err := j.AddRecord("k", note{fmt.Sprint(os.Getpid()), i}); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	path := filepath.Join(t.TempDir(), "events.jsonl")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestManyProcesses$")
			cmd.Env = append(os.Environ(), "JOURNAL_TEST_WRITER="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("writer: %v\n%s", err, out)
			}
		})
	}
	group.Wait()
	inOrder(t, path, 4*200)
}

// TestCloseMeanwhile closes a journal while records are added. Each record is complete, or its add failed.
func TestCloseMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	began, added := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			if n == 1 {
				close(began)
			}
			if _, err := j.AddRecord("n", note{"w", n}); err != nil {
				added <- n
				return
			}
		}
	}()
	<-began
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if words, _ := all(t, path, 0); len(words) != <-added {
		t.Errorf("%d records are there", len(words))
	}
}
