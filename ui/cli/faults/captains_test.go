package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/ui/cli/clitest"
	"ocaptain/ui/cli/faults/reader"
)

// captains lists what a captain does in the workspace, with an editor and with git.
var captains = []fault{
	{name: "captain edits", strike: func(v *voyage) hit { v.edit(); return did(true) }},
	{name: "captain edits one file again and again", strike: func(v *voyage) hit {
		for range 5 {
			v.editFile("captain.txt")
			v.wait(30 * time.Millisecond)
		}
		return did(true)
	}},
	{name: "captain writes slowly", strike: (*voyage).editSlowly},
	{name: "captain's editor changes what it writes", strike: func(v *voyage) hit {
		file := v.newFile()
		for _, content := range []string{"Edited  \r\nby the captain", "Edited\nby the captain\n"} { // saved as typed, and then formatted
			v.edits = append(v.edits, reader.Edit{File: file, Content: content})
			v.put(file, content)
			v.wait(time.Duration(v.rng.IntN(700)) * time.Millisecond)
		}
		return did(true)
	}},
	{name: "captain commits", strike: func(v *voyage) hit {
		file := v.edit()
		return did(v.gitly([]string{"add", file}, []string{"commit", "-qm", "by hand", "--", file}))
	}},
	{name: "captain merges", strike: func(v *voyage) hit {
		side := v.onSide()
		return did(v.gitly([]string{"switch", "-q", v.branch}, []string{"merge", "-q", "--no-edit", side}))
	}},
	{name: "captain rebases", strike: func(v *voyage) hit {
		side := v.onSide()
		return did(v.gitly([]string{"rebase", "-q", v.branch}, []string{"switch", "-q", v.branch}, []string{"merge", "-q", "--no-edit", side}))
	}},
	{name: "captain is on another branch", strike: func(v *voyage) hit {
		side := v.onSide()
		return did(v.isOn(side)).until(func() { v.gitly([]string{"switch", "-q", v.branch}, []string{"merge", "-q", "--no-edit", side}) })
	}},
	{name: "captain detaches", strike: func(v *voyage) hit {
		return did(v.gitly([]string{"switch", "-q", "--detach"})).until(func() { v.gitly([]string{"switch", "-q", v.branch}) })
	}},
	{name: "captain stashes", strike: func(v *voyage) hit {
		v.edit()
		return did(v.gitly([]string{"stash", "push", "-q", "-u"})).until(func() {
			if out, err := v.git(v.workspace(), "stash", "list"); err == nil && out != "" {
				v.gitly([]string{"stash", "pop", "-q"})
			}
		})
	}},
	{name: "captain resolves a merge by hand", strike: (*voyage).byHand},
	{name: "captain collects garbage", strike: func(v *voyage) hit { return did(v.gitly([]string{"gc", "-q", "--prune=now"})) }},
	{name: "captain packs refs", strike: func(v *voyage) hit { return did(v.gitly([]string{"pack-refs", "--all"})) }},
	{name: "lock of a killed git in workspace", strike: func(v *voyage) hit {
		all := []string{"index.lock", "HEAD.lock", "packed-refs.lock", "refs/heads/" + v.branch + ".lock", "config.lock"}
		return did(v.lock(filepath.Join(v.workspace(), ".git", all[v.rng.IntN(len(all))])))
	}},
	{name: "lock of a killed git under refs/ocaptain", strike: func(v *voyage) hit {
		var refs []string
		_ = filepath.WalkDir(filepath.Join(v.workspace(), ".git", "refs", "ocaptain"), func(path string, e os.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && !strings.HasSuffix(path, ".lock") {
				refs = append(refs, path)
			}
			return nil
		})
		return did(len(refs) > 0 && v.lock(refs[v.rng.IntN(len(refs))]+".lock"))
	}},
	{name: "lock of a killed git on a ship", strike: func(v *voyage) hit {
		all := []string{"index.lock", "HEAD.lock", "packed-refs.lock"}
		tree := workspaceOf(v.ships()[v.someShip()])
		return did(tree != "" && v.lock(filepath.Join(tree, ".git", all[v.rng.IntN(len(all))])))
	}},
}

func (v *voyage) workspace() string { return filepath.Join(v.dir, "workspace") }

func (v *voyage) newFile() string { return fmt.Sprintf("captain-%d.txt", len(v.edits)+1) }

// edit makes a new file of the captain's.
func (v *voyage) edit() string { return v.editFile(v.newFile()) }

// editFile gives a file of the captain's new content, as editors do: it renames a new file over the old one.
func (v *voyage) editFile(file string) string {
	content := fmt.Sprintf("edit %d of the captain\n", len(v.edits)+1)
	v.edits = append(v.edits, reader.Edit{File: file, Content: content})
	v.put(file, content)
	return file
}

// editSlowly writes a new file in place, piece by piece: the content in between is not what the captain wants.
func (v *voyage) editSlowly() hit {
	file := v.newFile()
	f, err := os.Create(filepath.Join(v.workspace(), file))
	if err != nil {
		v.note("%v", err)
		return did(false)
	}
	defer f.Close()
	content := ""
	for i := range 10 {
		piece := fmt.Sprintf("piece %d of %s\n", i, file)
		_, _ = f.WriteString(piece)
		content += piece
		v.wait(50 * time.Millisecond)
	}
	v.edits = append(v.edits, reader.Edit{File: file, Content: content})
	return did(true)
}

// put writes a file of the workspace atomically. Until it is complete, the file is beside the workspace, where helm does not take it
// for an edit.
func (v *voyage) put(file, content string) {
	beside := filepath.Join(v.dir, "captain.new")
	if err := clitest.Write(beside, content); err != nil {
		v.note("%v", err)
	} else if err := os.Rename(beside, filepath.Join(v.workspace(), file)); err != nil {
		v.note("%v", err)
	}
}

// onSide makes a branch with a commit of the captain's, and leaves it checked out.
func (v *voyage) onSide() string {
	branch := fmt.Sprint("side-", len(v.edits)+1)
	v.gitly([]string{"switch", "-q", "-c", branch})
	file := v.edit()
	v.gitly([]string{"add", file}, []string{"commit", "-qm", "on the side", "--", file})
	return branch
}

// gitly runs git commands in the workspace, one after the other. It repeats a command that another git blocks, as a
// captain would; it aborts a merge that does not end. It reports whether the last command succeeded.
func (v *voyage) gitly(all ...[]string) (done bool) {
	for _, args := range all {
		var err error
		for range 50 {
			if _, err = v.git(v.workspace(), args...); err == nil {
				break
			}
			if unfinished := args[0] == "merge" || args[0] == "rebase"; unfinished {
				if _, err := v.git(v.workspace(), args[0], "--abort"); err != nil {
					_, hard := v.git(v.workspace(), "reset", "-q", "--hard")
					v.note("captain: %v; git reset: %v", err, hard)
				}
			} else if !strings.Contains(err.Error(), ".lock") {
				break
			}
			v.wait(50 * time.Millisecond)
		}
		v.note("captain: git %s: %v", strings.Join(args, " "), err)
		done = err == nil
	}
	return done
}

// isOn reports whether a branch is checked out in the workspace.
func (v *voyage) isOn(branch string) bool {
	is, err := v.git(v.workspace(), "branch", "--show-current")
	return err == nil && is == branch
}

// byHand leaves the workspace in the middle of a merge with a conflict.
func (v *voyage) byHand() hit {
	file := v.edit()
	v.gitly([]string{"add", file}, []string{"commit", "-qm", "by hand", "--", file}, []string{"switch", "-q", "-c", "other", "HEAD~1"})
	v.edits = append(v.edits, reader.Edit{File: file, Content: "other\n"})
	v.put(file, "other\n")
	v.gitly([]string{"add", file}, []string{"commit", "-qm", "other", "--", file}, []string{"switch", "-q", v.branch})
	_, err := v.git(v.workspace(), "merge", "-q", "other")
	v.note("captain: git merge: %v", err)
	_, merging := v.git(v.workspace(), "rev-parse", "-q", "--verify", "MERGE_HEAD")
	return did(merging == nil).until(func() {
		v.edits = append(v.edits, reader.Edit{File: file, Content: "both\n"})
		v.put(file, "both\n")
		v.gitly([]string{"add", file}, []string{"commit", "-qm", "merged by hand"})
	})
}

// lock leaves a lock whose git is dead, unless the lock exists.
func (v *voyage) lock(file string) bool {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		v.note("%v", err)
		return false
	}
	f.Close()
	v.note("left %s", file)
	return true
}
