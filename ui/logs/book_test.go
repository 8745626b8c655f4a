package logs

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

// synthetic makes records of some logs; the offset of each is its index.
type synthetic struct{ made int64 }

func (s *synthetic) records(n, files int) []found {
	all := make([]found, n)
	for i := range all {
		all[i] = found{record: record{at: s.made, offset: s.made, file: uint16(s.made % int64(files)), role: uint8(s.made%2) + 1}}
		s.made++
	}
	return all
}

func filesNamed(n int) []File {
	var files []File
	for i := range n {
		files = append(files, File{Ship: fmt.Sprintf("ship-%d", i)})
	}
	return files
}

func forget(int64, *Line) {}

// After any changes, a list holds exactly the records that pass the filter.
func TestBookAgainstAPlainList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 30 {
		const most, files = 10_000, 7
		s := synthetic{made: 1 << 30}
		past := synthetic{made: 1 << 20}
		older := past.records(rng.IntN(15_000), files)
		slices.Reverse(older)
		b := NewBook(most)
		b.ApplyBatch(Batch{files: filesNamed(files)}, forget)
		var want []int64 // indices, oldest first
		filter := Filter{}
		for range 60 {
			switch rng.IntN(5) {
			case 0:
				n := min(len(older), rng.IntN(3000))
				for _, f := range older[:min(n, most-len(want))] {
					want = slices.Insert(want, 0, f.offset)
				}
				b.ApplyBatch(Batch{older: older[:n]}, forget)
				older = older[n:]
			case 1, 2:
				news := s.records(rng.IntN(2000), files)
				for _, f := range news {
					want = append(want, f.offset)
				}
				want = want[max(0, len(want)-most):]
				b.ApplyBatch(Batch{newer: news}, forget)
			case 3:
				filter = Filter{Ships: []string{"ship-1", "ship-4", "ship-5"}[:rng.IntN(4)], Role: []string{"", "worker", "planner"}[rng.IntN(3)]}
				b.SetFilter(filter)
			case 4:
				b.Advance(0)
			}
		}
		settle(b)
		want = slices.DeleteFunc(want, func(place int64) bool {
			ship, role := fmt.Sprintf("ship-%d", place%files), Roles[place%2]
			return len(filter.Ships) > 0 && !slices.Contains(filter.Ships, ship) || filter.Role != "" && filter.Role != role
		})
		l := b.Lines()
		if l.Len() != len(want) {
			t.Fatalf("round %d: %d records, want %d", round, l.Len(), len(want))
		}
		for i, place := range want {
			ref, ok := b.RecordRef(l.Seq(i))
			if !ok || ref.Offset != place || l.Index(ref.Seq) != i {
				t.Fatalf("round %d: record %d is %+v, want %d", round, i, ref, place)
			}
			before, after := b.Around(ref.Seq, 3)
			for _, seqs := range [][]int64{before, after} {
				for _, seq := range seqs {
					if other, ok := b.RecordRef(seq); !ok || other.File != ref.File {
						t.Fatalf("round %d: %+v is around %+v", round, other, ref)
					}
				}
			}
			if !slices.IsSorted(before) || !slices.IsSorted(after) || len(before) > 0 && before[len(before)-1] >= ref.Seq || len(after) > 0 && after[0] <= ref.Seq {
				t.Fatalf("round %d: around %d: %v and %v", round, ref.Seq, before, after)
			}
		}
	}
}

// A held record stays in its place when all records around it are evicted.
func TestHeldRecordsStay(t *testing.T) {
	b := NewBook(100)
	var s synthetic
	b.ApplyBatch(Batch{files: filesNamed(2), newer: s.records(100, 2)}, forget)
	settle(b)
	b.HoldRecords([]int64{10, 11, 50})
	b.ApplyBatch(Batch{newer: s.records(5000, 2)}, forget)
	settle(b)
	l := b.Lines()
	if l.Len() != 103 || l.Seq(0) != 10 || l.Seq(1) != 11 || l.Seq(2) != 50 || l.Seq(3) != 5000 {
		t.Fatalf("%d records, from %d", l.Len(), l.Seq(0))
	}
	if ref, ok := b.RecordRef(50); !ok || ref.Offset != 50 {
		t.Errorf("got %+v", ref)
	}
	if _, ok := b.RecordRef(12); ok {
		t.Error("12 was not held")
	}
	b.HoldRecords(nil)
	if _, ok := b.RecordRef(50); ok || l.Len() != 100 || len(b.kept) != 0 {
		t.Errorf("%d records after all was let go", l.Len())
	}
	for i, blk := range b.newer[:len(b.newer)-2] {
		if blk != nil {
			t.Errorf("block %d is still there", i)
		}
	}
}

// A search finds indexed lines in the files, while more lines arrive and the filter changes.
func TestSearch(t *testing.T) {
	d := logVoyage(t)
	for i := range 4000 {
		logged(t, d, fmt.Sprintf("ship-%d", i%3), line(i, fmt.Sprintf("line %d says \"x\"", i)))
	}
	s := indexed(t, d, 10_000)
	all := func(b *Book) bool { _, whole := b.Indexed(); return whole && b.Len() == 4000 }
	s.until("index", all)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.book
	grep := func(pattern string) {
		t.Helper()
		p, err := Search(pattern)
		if err != nil {
			t.Fatal(err)
		}
		b.SetFilter(Filter{Grep: p})
	}
	grep("line 1")
	settle(b)
	stale := b.NextJob(func(int64) *Line { return nil })
	if stale != nil {
		t.Fatal("a job after the last")
	}
	grep("nothing")
	for b.Advance(time.Second) {
	}
	stale = b.NextJob(func(int64) *Line { return nil })
	grep("line 399.* SAYS|LINE 7 ")
	stale.Run()
	b.Finish(stale) // for the previous filter
	if got := said(b); len(got) != 0 {
		t.Errorf("a pattern with capitals found %q", got)
	}
	grep("line 399.* says|line 7 ")
	want := []string{`line 7 says "x"`, `line 399 says "x"`}
	for i := 3990; i < 4000; i++ {
		want = append(want, fmt.Sprintf("line %d says \"x\"", i))
	}
	if got := said(b); !slices.Equal(got, want) {
		t.Errorf("found %q", got)
	}
	if share, all := b.Searched(); !all || share != 1 {
		t.Errorf("searched %v %v", share, all)
	}
	grep("!line")
	if got := said(b); len(got) != 0 {
		t.Errorf("found %q", got)
	}
	if err := os.Remove(d.LogFile("ship-0")); err != nil {
		t.Fatal(err)
	}
	refs := []Ref{{Seq: 1, File: 0, Offset: 0, Length: 10}}
	if l := ReadWords(b.Files(), refs)[1]; l == nil || l.Words != "this line is gone from the log" {
		t.Errorf("a line that is gone is %+v", l)
	}
}
