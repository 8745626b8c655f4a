//go:build long

package hub

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	stdsync "sync"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/synctest"
	"ocaptain/tasks/eventually"
)

// seedVar chooses the seeds of TestAttack, "first-last". Seeds that once failed always run.
const seedVar = "GITFLOW_SEEDS"

// attacked is a crew whose git processes are killed at random.
type attacked struct {
	*crew
	git    string // path of the real git
	luck   *rand.Rand
	ships  map[string]direct
	edited string // newest of the captain's edits
}

func attack(t *testing.T, seed int) {
	const tasks = 2
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	a := &attacked{crew: enlist(t, Options{}), git: real, luck: rand.New(rand.NewPCG(uint64(seed), 0))}
	a.ships = map[string]direct{"ship-1": a.ship, "ship-2": {filepath.Join(t.TempDir(), "workspace")}}
	a.edited = "0\n"
	put(t, a.dir, "captain.txt", a.edited)
	if _, err := a.h.Checkout(t.Context(), a.ships["ship-2"], "ship-2", ""); err != nil {
		t.Fatal(err)
	}
	begin := gitOutput(t, a.dir, "rev-parse", "voyage")
	gitOutput(t, a.dir, "branch", "side")
	count := filepath.Join(t.TempDir(), "count")
	synctest.WrapGit(t, fmt.Sprintf(`
echo -n x >>%[1]s
n=; read -r n <%[1]s
RANDOM=$(( %[2]d * 7919 + ${#n} ))
if [ "$1" != cat-file ] && (( RANDOM %% 15 == 0 )); then
	exec timeout --foreground -s KILL 0.00$(( RANDOM %% 9 + 1 )) $real "$@"
fi
exec $real "$@"
`, count, seed))
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		a.captain(done)
	}()
	stop := stdsync.OnceFunc(func() { close(done); <-ended })
	t.Cleanup(stop)
	for n := range tasks {
		for name := range a.ships {
			a.claim(name)
		}
		for name := range a.ships {
			a.complete(name, fmt.Sprint(n, "-", name))
		}
		if a.luck.IntN(3) == 0 {
			a.again()
		}
	}
	stop()
	a.judge(begin, tasks*len(a.ships))
}

// insist repeats a call until it succeeds or fails with a conflict or refusal: any other error comes from a killed
// git.
func (a *attacked) insist(call func() error) error {
	a.Helper()
	for ctx := eventually.Context(a); ; {
		err := call()
		var refused *sync.Refused
		if _, conflict := asConflict(err); err == nil || conflict || errors.As(err, &refused) {
			return err
		}
		if ctx.Err() != nil {
			a.Fatal(err)
		}
	}
}

func (a *attacked) claim(name string) {
	a.Helper()
	if err := a.insist(func() error { _, err := a.h.Checkout(a.Context(), a.ships[name], name, ""); return err }); err != nil {
		a.Fatal(err)
	}
}

// longText returns content so long that a half-written file is easy to recognize.
func longText(s string) string { return strings.Repeat(s+"\n", 3000) }

func (a *attacked) complete(name, task string) {
	a.Helper()
	order := sync.Merge{Name: name, Subject: task, Author: "E <e@e>", Trailers: [][2]string{{"Ocaptain-Task", task}}, Keep: "refs/ocaptain/tasks/" + task}
	for tries := 1; ; tries++ {
		put(a, a.ships[name].dir, "own-"+name+".txt", longText(task))
		put(a, a.ships[name].dir, "dir/"+task, longText(task))
		put(a, a.ships[name].dir, "shared.txt", longText(task))
		err := a.insist(func() error {
			// A call that returned an error may have merged the work, so ask first, as helm does.
			if done, err := a.h.Find(a.Context(), "Ocaptain-Task", task); err != nil || done != "" {
				return err
			}
			_, err := a.h.Merge(a.Context(), a.ships[name], order)
			return err
		})
		if err == nil {
			return
		}
		if tries == 100 {
			a.Fatal(err)
		}
	}
}

// again closes the hub and opens a new one.
func (a *attacked) again() {
	a.Helper()
	a.h.Close()
	if err := a.insist(func() (err error) { a.h, err = Open(a.Context(), a.dir, "voyage", Options{}); return err }); err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() { a.h.Close() })
}

// patiently runs git as the captain, and repeats the command while a lock stops it. It reports whether the command
// succeeded.
func (a *attacked) patiently(line string) bool {
	for ctx := eventually.Context(a); ; {
		cmd := exec.Command(a.git, strings.Fields(line)...)
		cmd.Dir = a.dir
		out, err := cmd.CombinedOutput()
		if err == nil || !locked(string(out)) || ctx.Err() != nil {
			return err == nil
		}
	}
}

// captain edits, commits and switches branches as a captain does, with a git that is not killed. The hub may hold the
// index lock for a while.
func (a *attacked) captain(done chan struct{}) {
	luck := rand.New(rand.NewPCG(a.luck.Uint64(), 1))
	run := func(lines ...string) bool {
		for _, line := range lines {
			if !a.patiently(line) {
				return false
			}
		}
		return true
	}
	for n := 1; ; n++ {
		select {
		case <-done:
			return
		case <-eventually.Later(time.Duration(luck.IntN(60)) * time.Millisecond):
		}
		switch luck.IntN(9) {
		case 0:
			run("gc -q --prune=now")
		case 1:
			run("pack-refs --all --prune")
		case 2:
			run("commit -q -a -m mine")
		case 3:
			run("commit -q --amend --no-edit --allow-empty")
		case 4:
			a.edit(n) // so that there is something to stash
			// Drop the stash of an earlier round whose pop met a locked index.
			if run("stash clear", "stash -q") && !run("stash pop -q") && a.unmerged() {
				// The pop clashes with an earlier edit that the hub committed meanwhile: keep the later edit.
				run("checkout -q --theirs captain.txt", "reset -q", "stash drop -q")
			}
		case 5:
			run("commit -q -a --allow-empty -m mine", "switch -q side", "switch -q voyage")
		case 6:
			run("switch -q --detach", "switch -q voyage")
		default:
			a.edit(n)
		}
	}
}

// locked reports whether git failed because the index or a ref was locked. "git stash" does not mention a locked
// index.
func locked(said string) bool {
	switch strings.TrimSpace(said) {
	case "", "The stash entry is kept in case you need it again.":
		return true
	}
	return strings.Contains(said, ".lock") || strings.Contains(said, "could not write index")
}

// unmerged reports whether the index has conflicts.
func (a *attacked) unmerged() bool {
	cmd := exec.Command(a.git, "ls-files", "-u")
	cmd.Dir = a.dir
	out, _ := cmd.Output()
	return len(out) > 0
}

func (a *attacked) edit(n int) {
	// Vary the size: within one second git notices an edit only by a new size.
	a.edited = fmt.Sprint("edit ", n, strings.Repeat("x", n%97), "\n")
	next := filepath.Join(a.dir, ".git", "captain.txt")
	_ = errors.Join(os.WriteFile(next, []byte(a.edited), 0o644), os.Rename(next, filepath.Join(a.dir, "captain.txt")))
}

// judge reads the repository with a git that the test never kills.
func (a *attacked) judge(begin string, tasks int) {
	a.Helper()
	a.claim("ship-1") // commits the captain's last edit
	say := func(args ...string) string {
		cmd := exec.Command(a.git, args...)
		cmd.Dir = a.dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			a.Fatalf("git %v: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	say("fsck", "--connectivity-only")
	if dirt := say("status", "--porcelain"); dirt != "" {
		a.Errorf("the workspace is not clean:\n%s", dirt)
	}
	if branch := say("rev-parse", "--abbrev-ref", "HEAD"); branch != "voyage" {
		a.Fatal("HEAD is ", branch)
	}
	done := map[string]int{}
	for id := range strings.FieldsSeq(say("log", "--format=%(trailers:key=Ocaptain-Task,valueonly)", begin+"..voyage")) {
		done[id]++
	}
	for id, n := range done {
		if n != 1 {
			a.Errorf("task %s is on the branch %d times", id, n)
		}
	}
	if len(done) != tasks {
		a.Errorf("%d tasks are on the branch, want %d", len(done), tasks)
	}
	for commit := range strings.FieldsSeq(say("rev-list", begin+"..voyage")) {
		for entry := range strings.SplitSeq(say("ls-tree", "-r", commit), "\n") {
			info, path, _ := strings.Cut(entry, "\t")
			if path == "captain.txt" || path == "a.txt" || path == "dir/b.txt" {
				continue
			}
			id := strings.Fields(info)[2]
			text := say("cat-file", "blob", id)
			if line, _, _ := strings.Cut(text, "\n"); text+"\n" != longText(line) {
				a.Fatalf("%s of %s is not whole: %d bytes, %q", path, commit, len(text), say("log", "-1", "--format=%an %s", commit))
			}
		}
	}
	if got := say("show", "voyage:captain.txt"); got+"\n" != a.edited {
		files, _ := os.ReadFile(filepath.Join(a.dir, "captain.txt"))
		a.Errorf("captain.txt is %q, want %q; among the files it is %q; stashed: %s\n%s", got, a.edited, files, say("stash", "list", "-p"), say("reflog", "HEAD"))
	}
	if by := say("log", "--author=Captain", "--format=%h %s", begin+"..voyage", "--", "shared.txt", "own-*", "dir"); by != "" {
		a.Errorf("commits of the captain's change what ships made:\n%s\n%s", say("log", "--stat", "--author=Captain", begin+"..voyage"), say("reflog", "HEAD"))
	}
}

// TestAttack kills git processes of hub and ships at random while two remotes complete tasks that clash, the captain
// commits, amends, packs, stashes and switches branches, and the hub is sometimes reopened. judge checks the result.
func TestAttack(t *testing.T) {
	first, last := 1, 4
	if a, b, ok := strings.Cut(os.Getenv(seedVar), "-"); ok {
		first, _ = strconv.Atoi(a)
		last, _ = strconv.Atoi(b)
	}
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { attack(t, seed) })
	}
}
