package reader

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Git runs git in a directory without settings of the user or the system, and without taking locks.
func Git(dir string, args ...string) (string, error) { return feed(dir, "", args...) }

func feed(dir, in string, args ...string) (string, error) {
	cmd := exec.Command("/usr/bin/git", append([]string{"-C", dir, "-c", "safe.directory=*", "-c", "core.quotePath=false"}, args...)...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}
	cmd.Stdin = strings.NewReader(in)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out.String(), nil
}

// commit is a commit of the branch.
type commit struct {
	hash    string
	parents int
	task    string // id of the task in its trailer
	changes []change
}

// change is what a commit did to a file, against its first parent.
type change struct{ file, was, is string } // blobs

const none = "0000000000000000000000000000000000000000"

// history lists the commits of the branch since its first one, oldest first.
func (v Voyage) history() ([]commit, error) {
	roots, err := Git(v.Workspace, "rev-list", "--max-parents=0", v.Branch)
	if err != nil {
		return nil, err
	}
	start, _, _ := strings.Cut(roots, "\n")
	const format = "--format=%x1e%H%x1f%P%x1f%(trailers:key=Ocaptain-Task,valueonly,separator=%x2C)"
	out, err := Git(v.Workspace, "log", "--topo-order", "--reverse", "--raw", "--no-abbrev", "--no-renames", "--diff-merges=off", format, start+".."+v.Branch)
	if err != nil {
		return nil, err
	}
	var all []commit
	for _, text := range strings.Split(out, "\x1e")[1:] {
		head, rest, _ := strings.Cut(text, "\n")
		f := strings.Split(head, "\x1f")
		if len(f) != 3 {
			return nil, fmt.Errorf("odd line of the log: %q", head)
		}
		c := commit{hash: f[0], parents: len(strings.Fields(f[1])), task: f[2]}
		for line := range strings.Lines(rest) {
			meta, file, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if m := strings.Fields(meta); ok && len(m) == 5 {
				c.changes = append(c.changes, change{file, m[2], m[3]})
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// merges checks that each task has one commit, after the commits of the tasks that block it.
func (v Voyage) merges(history []commit) (wrong []string, err error) {
	at := map[string]int{}
	for i, c := range history {
		if c.task == "" {
			continue
		}
		if _, again := at[c.task]; again {
			wrong = append(wrong, fmt.Sprintf("task %s is on the branch twice, the second time as %.10s", c.task, c.hash))
			continue
		}
		at[c.task] = i
	}
	for _, t := range v.Tasks {
		i, there := at[t.ID]
		if !there {
			wrong = append(wrong, fmt.Sprintf("task %s has no commit on the branch", t.ID))
			continue
		}
		for _, b := range t.After {
			if j, there := at[b]; there && j > i {
				wrong = append(wrong, fmt.Sprintf("the commit of task %s is before that of task %s, which blocks it", t.ID, b))
			}
		}
	}
	return wrong, nil
}

// contents checks that a task's commit has exactly what the task's command wrote, and that all of it is in the newest
// state of the branch.
func (v Voyage) contents(history []commit) (wrong []string, err error) {
	for _, c := range history {
		if c.task == "" || c.parents != 1 {
			continue
		}
		t := v.task(c.task)
		for _, ch := range c.changes {
			switch {
			case ch.file == t.File, strings.HasPrefix(ch.file, Late):
			case ch.file == v.Shared:
				if more, err := v.added(ch); err != nil {
					return wrong, err
				} else if more != t.Line {
					wrong = append(wrong, fmt.Sprintf("the commit of task %s adds %q to %s, not %q", c.task, more, v.Shared, t.Line))
				}
			default:
				wrong = append(wrong, fmt.Sprintf("the commit of task %s changes %s", c.task, ch.file))
			}
		}
	}
	shared, _ := Git(v.Workspace, "show", v.Branch+":"+v.Shared)
	for _, t := range v.Tasks {
		if is, err := Git(v.Workspace, "show", v.Branch+":"+t.File); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s of task %s is not on the branch", t.File, t.ID))
		} else if is != t.Content {
			wrong = append(wrong, fmt.Sprintf("%s of task %s has %q, not %q", t.File, t.ID, is, t.Content))
		}
		if n := strings.Count("\n"+shared, "\n"+t.Line+"\n"); t.Line != "" && n != 1 {
			wrong = append(wrong, fmt.Sprintf("the line of task %s is %d times in %s", t.ID, n, v.Shared))
		}
	}
	return wrong, nil
}

// added returns the lines that a change adds to a file; lines that it removes are returned with a minus.
func (v Voyage) added(ch change) (string, error) {
	was, is := "", ""
	var err error
	if ch.was != none {
		if was, err = Git(v.Workspace, "cat-file", "blob", ch.was); err != nil {
			return "", err
		}
	}
	if ch.is != none {
		if is, err = Git(v.Workspace, "cat-file", "blob", ch.is); err != nil {
			return "", err
		}
	}
	before, after := strings.Fields(was), strings.Fields(is)
	count := map[string]int{}
	for _, line := range before {
		count[line]--
	}
	for _, line := range after {
		count[line]++
	}
	var more []string
	for line, n := range count {
		for ; n > 0; n-- {
			more = append(more, line)
		}
		for ; n < 0; n++ {
			more = append(more, "-"+line)
		}
	}
	return strings.Join(more, ","), nil
}

// captains checks that commits without a task have only what the captain wrote, and that the captain's last version of
// every file is on the branch or in the workspace.
func (v Voyage) captains(history []commit) (wrong []string, err error) {
	wrote, last := map[Edit]bool{}, map[string]string{}
	for _, e := range v.Edits {
		wrote[e], last[e.File] = true, e.Content
	}
	for _, c := range history {
		if c.task != "" || c.parents != 1 {
			continue
		}
		for _, ch := range c.changes {
			content := ""
			if ch.is != none {
				if content, err = Git(v.Workspace, "cat-file", "blob", ch.is); err != nil {
					return wrong, err
				}
			}
			if ch.is == none || !wrote[Edit{ch.file, content}] {
				wrong = append(wrong, fmt.Sprintf("commit %.10s has %s as %.60q in the captain's name, who never wrote that", c.hash, ch.file, content))
			}
		}
	}
	for file, content := range last {
		onBranch, err := Git(v.Workspace, "show", v.Branch+":"+file)
		if err == nil && onBranch == content {
			continue
		}
		inTree, err := os.ReadFile(v.Workspace + "/" + file)
		if (err != nil || string(inTree) != content) && !v.stashed(file, content) {
			wrong = append(wrong, fmt.Sprintf("the captain's %s with %.60q is neither on the branch nor in his tree nor stashed", file, content))
		}
	}
	return wrong, nil
}

// stashed reports whether a stash of the captain's holds a file: git keeps a stash that it could not restore, and says so.
func (v Voyage) stashed(file, content string) bool {
	all, _ := Git(v.Workspace, "rev-list", "--walk-reflogs", "refs/stash")
	for stash := range strings.FieldsSeq(all) {
		for _, part := range []string{stash, stash + "^3"} { // the third parent holds untracked files
			if kept, err := Git(v.Workspace, "show", part+":"+file); err == nil && kept == content {
				return true
			}
		}
	}
	return false
}

// markers checks that no tree of the branch has conflict marks.
func (v Voyage) markers(history []commit) (wrong []string, err error) {
	if len(history) == 0 {
		return nil, nil
	}
	args := []string{"grep", "-lE", `^(<{7}|>{7}|\|{7}|={7})( |$)`}
	for _, c := range history {
		args = append(args, c.hash)
	}
	out, err := Git(v.Workspace, args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // git grep found nothing
	}
	for line := range strings.Lines(out) {
		wrong = append(wrong, "markers of a conflict are committed: "+strings.TrimSpace(line))
	}
	return wrong, err
}
