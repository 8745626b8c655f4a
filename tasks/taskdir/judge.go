package taskdir

import (
	"errors"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"time"

	"ocaptain/tasks"
)

// verdict is what is to be done about a file.
type verdict struct {
	write  bool          // bring it to the stated task
	aside  bool          // but keep what is there beside it
	wait   time.Duration // look again after that, 0 for no need
	torn   bool          // it may be half written: judge it only after some more looks
	tamper []Tamper      // what others did
}

// judgeFile compares what a file holds, or the error of reading it, with what it should.
func (w *wanted) judgeFile(now time.Time, data []byte, err error) verdict {
	id := w.task.ID
	if errors.Is(err, fs.ErrNotExist) {
		if !w.present {
			return verdict{write: true}
		}
		return verdict{write: true, tamper: []Tamper{{Task: id, What: Deleted}}}
	}
	damaged := verdict{write: true, aside: true, tamper: []Tamper{{Task: id, What: Damaged}}}
	if err != nil {
		return damaged
	}
	found, err := Parse(data)
	if err != nil {
		damaged.torn = true
		return damaged
	}
	return w.compare(now, found)
}

// compare judges a readable file. Fields and metadata are judged apart, since an agent that was
// allowed to write a field keeps the metadata that it knew.
func (w *wanted) compare(now time.Time, found tasks.Task) verdict {
	is, was, should := SignatureOf(found), SignedAs(found), SignatureOf(w.task)
	var v verdict
	var edited []string
	var awaited *expectation // the state that the file shows and that may become right

	differing := differences(w.task, found)
	if len(differing) > 0 {
		x := w.expects(now, found)
		switch {
		case x != nil && !x.past:
			awaited = x
		case x == nil && is.fields != was.fields: // else it is a state that was right once
			edited = differing
		}
	}

	if free := WithoutReserved(found.Metadata); !sameMetadata(free, w.task.Metadata) && is.metadata != was.metadata {
		edited = append(edited, changedKeys(w.task.Metadata, free)...)
	}

	switch {
	case len(edited) > 0:
		v.write = true
		v.tamper = append(v.tamper, Tamper{Task: w.task.ID, What: Edited, Fields: edited, Change: found})
	case awaited != nil:
		v.wait = awaited.until.Sub(now) // by then it should have been stated
	default:
		v.write = is != should || was != should
	}
	return v
}

// expects returns the expectation that found fulfils, the latest first, or nil.
func (w *wanted) expects(now time.Time, found tasks.Task) *expectation {
	for _, x := range slices.Backward(w.expected) {
		if x.late && found.Owner == w.task.Owner {
			x.task.Owner = found.Owner
		}
		if now.Before(x.until) && len(differences(x.task, found)) == 0 {
			return &x
		}
	}
	return nil
}

// differences names the fields that agents can see, metadata apart, in which two
// tasks differ.
func differences(a, b tasks.Task) []string {
	var names []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"id", a.ID == b.ID},
		{"subject", a.Subject == b.Subject},
		{"description", a.Description == b.Description},
		{"activeForm", a.ActiveForm == b.ActiveForm},
		{"owner", a.Owner == b.Owner},
		{"status", a.Status == b.Status},
		{"blocks", slices.Equal(sorted(a.Blocks), sorted(b.Blocks))},
		{"blockedBy", slices.Equal(sorted(a.BlockedBy), sorted(b.BlockedBy))},
	} {
		if !f.same {
			names = append(names, f.name)
		}
	}
	return names
}

// changedKeys names the metadata, our own apart, in which a file differs from its task.
func changedKeys(should, is map[string]any) []string {
	changed := map[string]bool{}
	for _, metadata := range []map[string]any{should, is} {
		for k := range metadata {
			value, there := is[k]
			old, wasThere := should[k]
			if k != tasks.Reserved && (there != wasThere || !reflect.DeepEqual(value, old)) {
				changed["metadata."+k] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(changed))
}

// sameMetadata compares metadata without our own.
func sameMetadata(a, b map[string]any) bool {
	return maps.EqualFunc(WithoutReserved(a), WithoutReserved(b), func(x, y any) bool { return reflect.DeepEqual(x, y) })
}
