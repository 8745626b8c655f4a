package book

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
)

func open(t *testing.T, failed func(string, error)) (*Book, string) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	b := Open(j, failed)
	t.Cleanup(func() {
		b.Close()
		_ = j.Close()
	})
	return b, path
}

func noFailure(t *testing.T) func(string, error) {
	return func(kind string, err error) { t.Error(kind, err) }
}

// read returns the numbers in the journal's records, in order.
func read(t *testing.T, path string) (all []int) {
	if _, err := journal.Read(path, 0, func(r journal.Record) error {
		var n int
		err := json.Unmarshal(r.Data, &n)
		all = append(all, n)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// The journal has the records in the order of the calls, also from several goroutines, and has all of them after Flush.
func TestOrder(t *testing.T) {
	b, path := open(t, noFailure(t))
	var mu sync.Mutex
	var callers sync.WaitGroup
	n := 0
	for range 8 {
		callers.Go(func() {
			for range 50 {
				mu.Lock()
				b.Add("n", n)
				n++
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	b.Flush()
	all := read(t, path)
	for i, n := range all {
		if n != i {
			t.Fatalf("record %d is %d", i, n)
		}
	}
	if len(all) != n {
		t.Errorf("%d of %d records", len(all), n)
	}
}

// While another process locks the journal, Add does not wait, and Wait does.
func TestAddDoesNotWait(t *testing.T) {
	b, path := open(t, noFailure(t))
	other, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	b.Add("n", 0)
	r := b.Add("n", 1)
	written := make(chan error, 1)
	go func() { written <- r.Wait() }()
	if len(written) > 0 || len(read(t, path)) > 0 {
		t.Error("written while another process has the journal")
	}
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := eventually.Receives(t, "the record", written); err != nil {
		t.Error(err)
	}
	if all := read(t, path); len(all) != 2 {
		t.Errorf("the journal has %v", all)
	}
}

// A record that cannot be written is reported, and the next one is written.
func TestFailure(t *testing.T) {
	var failed []error
	b, path := open(t, func(kind string, err error) { failed = append(failed, err) })
	if err := b.Add("", 0).Wait(); err == nil {
		t.Error("a record without a kind was written")
	}
	if err := b.Add("n", func() {}).Wait(); err == nil {
		t.Error("a function was written")
	}
	if err := b.Add("n", 1).Wait(); err != nil {
		t.Error(err)
	}
	b.Close()
	if len(failed) != 2 || errors.Join(failed...) == nil {
		t.Errorf("it told %v", failed)
	}
	if all := read(t, path); len(all) != 1 {
		t.Errorf("the journal has %v", all)
	}
}
