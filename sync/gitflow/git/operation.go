package git

import "os"

// operations are the git operations that can be under way, each with the file that shows it.
var operations = []struct{ file, word string }{
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"rebase-merge", "rebase"},
	{"rebase-apply", "rebase"},
	{"sequencer", "cherry-pick or revert"},
}

// Operation returns the git operation that is under way, "" for none.
func (r Repo) Operation() string {
	for _, op := range operations {
		if _, err := os.Lstat(r.Path(op.file)); err == nil {
			return op.word
		}
	}
	return ""
}

// EndOperation removes git's files about operations under way.
func (r Repo) EndOperation() error {
	rest := []string{
		"MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG", "REBASE_HEAD",
		"BISECT_LOG", "BISECT_NAMES", "BISECT_START", "BISECT_TERMS", "BISECT_EXPECTED_REV", "BISECT_RUN",
	}
	for _, op := range operations {
		rest = append(rest, op.file)
	}
	for _, name := range rest {
		if err := os.RemoveAll(r.Path(name)); err != nil {
			return err
		}
	}
	return nil
}
