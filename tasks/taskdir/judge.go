package taskdir

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"time"

	"ocaptain/tasks"
)

// verdict says what the view has to do about a file.
type verdict struct {
	write  bool          // write the stated task
	aside  bool          // move the found file aside, beside the task files
	wait   time.Duration // look again after this time, 0 for never
	torn   bool          // the file may be half written: decide only after more looks
	tamper []Tamper      // what others did, to be reported
}

// judgeFile compares the content of a file, or the error of reading it, with the stated task.
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
	if w.shown != 0 && maphash.Bytes(seed, data) == w.shown {
		return verdict{}
	}
	found, err := Parse(data)
	if err != nil {
		damaged.torn = true
		return damaged
	}
	return w.compare(now, found)
}

// compare judges a readable file. It judges fields and metadata separately, since an agent that may
// write a field also writes back the metadata that it last read.
func (w *wanted) compare(now time.Time, found tasks.Task) verdict {
	is, was, should := SignatureOf(found), SignedAs(found), SignatureOf(w.task)
	var v verdict
	var edited []string
	var awaited *expectation // the expected state that the file shows, if the owner has yet to state it

	differing := differences(w.task, found)
	if len(differing) > 0 {
		x := w.expects(now, found)
		switch {
		case x != nil && !x.past:
			awaited = x
		case x == nil && is.fields != was.fields: // if they are equal, the file merely shows an older state
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
		v.wait = awaited.until.Sub(now) // until then, the owner should state what the file shows
	default:
		v.write = is != should || was != should
	}
	return v
}

// expects returns the latest expectation that matches found, or nil.
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

// differences names the fields that agents see and in which a and b differ. It leaves out metadata.
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

// changedKeys names the metadata keys in which a file differs from its task. It leaves out ocaptain's own keys.
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

// sameMetadata compares metadata, except ocaptain's own.
func sameMetadata(a, b map[string]any) bool {
	return maps.EqualFunc(WithoutReserved(a), WithoutReserved(b), func(x, y any) bool { return reflect.DeepEqual(x, y) })
}
