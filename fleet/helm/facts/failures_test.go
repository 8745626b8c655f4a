package facts

import "testing"

// Two failures of the work do not put a task on hold at its first failed merge.
func TestFailures(t *testing.T) {
	var f Failures
	f.Count(Work, "1")
	if n := f.Count(Work, "1"); n != 2 || f.Of(Work, "1") != 2 || f.Of(Merge, "1") != 0 || f.Of(Work, "2") != 0 {
		t.Errorf("counted %d, has %v", n, f)
	}
	if f.Count(Merge, "1"); f.Of(Merge, "1") != 1 {
		t.Errorf("a merge counts with work: %v", f)
	}
	if f.Forget(Work, "1"); f.Of(Work, "1") != 0 || f.Of(Merge, "1") != 1 {
		t.Errorf("after the work was forgotten: %v", f)
	}
	if f.ForgetAll("1"); len(f) > 0 {
		t.Errorf("after all was forgotten: %v", f)
	}
}
