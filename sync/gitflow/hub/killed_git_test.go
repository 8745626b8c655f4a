package hub

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync/synctest"
)

// TestHalfWritten has the system kill git when it has written one KiB of a file into a tree. The half-written file
// counts neither as the captain's edit nor as a ship's. As attributes may convert files, git writes them.
func TestHalfWritten(t *testing.T) {
	armed := filepath.Join(t.TempDir(), "armed")
	synctest.WrapGit(t, `
if [ "$1" = read-tree ] && [ "$(cat `+armed+` 2>/dev/null)" = "$GIT_DIR" ] && [[ " $* " = *" -u "* && " $* " != *" -n "* ]]; then
	rm `+armed+`
	ulimit -f 1
fi
exec $real "$@"
`)
	arm := func(dir string) {
		if err := os.WriteFile(armed, []byte(filepath.Join(dir, ".git")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := enlist(t, Options{})
	other := direct{filepath.Join(t.TempDir(), "workspace")}
	text := func(s string) string { return strings.Repeat(s+"\n", 9000) }
	want := text("first")
	put(t, c.ship.dir, ".gitattributes", "*.png -filter\n")
	put(t, c.ship.dir, "shared.txt", want)
	put(t, c.ship.dir, "other.txt", want)
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.h.Checkout(t.Context(), other, "ship-2", ""); err != nil {
		t.Fatal(err)
	}
	put(t, c.dir, "captain.txt", "his own\n")
	for round := range 2 {
		want = text(fmt.Sprint("round ", round))
		put(t, c.ship.dir, "shared.txt", want)
		put(t, c.ship.dir, "other.txt", want)
		arm(c.dir)
		for tries := 0; ; tries++ {
			err := c.merge()
			if err == nil {
				break
			}
			if tries == 3 {
				t.Fatal(err)
			}
		}
		content(t, c.dir, "shared.txt", want)
		arm(other.dir)
		for {
			k, err := c.h.Checkout(t.Context(), other, "ship-2", "")
			if err == nil && k.Parked == "" {
				break
			}
			if err == nil {
				t.Fatal("half of a file was parked as work of the ship: ", gitOutput(t, c.dir, "show", "--stat", k.Parked))
			}
			snap, err := c.h.Snapshot(t.Context(), other, "ship-2")
			if err != nil || snap.Changed != 0 {
				t.Fatalf("%+v, %v", snap, err)
			}
		}
		content(t, other.dir, "shared.txt", want)
	}
	if _, err := os.Stat(armed); err == nil {
		t.Fatal("git was not killed")
	}
	if by := gitOutput(t, c.dir, "log", "--author=Captain", "--format=%h", "--", "shared.txt", "other.txt"); by != "" {
		t.Fatal("half of a file was taken for the captain's edit: ", gitOutput(t, c.dir, "log", "-p", "--stat", "--author=Captain"))
	}
	content(t, c.dir, "captain.txt", "his own\n")
	if dirt := gitOutput(t, c.dir, "status", "--porcelain"); dirt != "" {
		t.Fatal(dirt)
	}
}

// TestNothingBetween kills every git of the hub from the moment when a ship's files are in the captain's tree or, in
// another round, when the branch has moved. The captain's git must wait until the hub has made files, index and
// branch agree: else a commit of the captain's would contain or revert the ship's work.
func TestNothingBetween(t *testing.T) {
	for name, when := range map[string]string{"files": "before", "branch": "after"} {
		t.Run(name, func(t *testing.T) {
			c := enlist(t, Options{})
			put(t, c.ship.dir, "a.txt", "ship's\n")
			put(t, c.ship.dir, "new.txt", "ship's\n")
			real, err := exec.LookPath("git")
			if err != nil {
				t.Fatal(err)
			}
			mode := filepath.Join(t.TempDir(), "mode")
			synctest.WrapGit(t, `
mode=`+mode+` when=`+when+`
[ "$GIT_DIR" = `+c.dir+`/.git ] && [ -e $mode ] || exec $real "$@"
[ -s $mode ] && kill -KILL $$
[ "$1" = update-ref ] || exec $real "$@"
coproc real_git { exec $real "$@"; }
end() { echo kill >$mode; kill -KILL $real_git_PID $$; }
while read -r line; do
	[[ $line != "update refs/heads/voyage "* ]] || moves=$when
	[ "$moves" != before ] || end
	echo "$line" >&${real_git[1]}
	case $line in start | prepare | commit) read -r said <&${real_git[0]} || exit; [ "$line $moves" != "commit after" ] || end; echo "$said" ;; esac
done
`)
			put(t, filepath.Dir(mode), "mode", "")
			c.h.repo.Kept.Close() // from now on the hub starts only the wrapped git
			begin := gitOutput(t, c.dir, "rev-parse", "voyage")
			if err := c.merge(); err == nil {
				t.Fatal("git was not killed")
			}
			commit := exec.Command(real, "commit", "-q", "-a", "-m", "mine")
			commit.Dir = c.dir
			if out, err := commit.CombinedOutput(); err == nil || !strings.Contains(string(out), "index.lock") {
				t.Errorf("the captain's commit did not wait: %s, %v", out, err)
			}
			if err := os.Remove(mode); err != nil {
				t.Fatal(err)
			}
			if err := c.merge(); err != nil {
				t.Fatal(err)
			}
			if by := gitOutput(t, c.dir, "log", "--author=Captain", "--format=%h %s", begin+"..", "--", "a.txt", "new.txt"); by != "" {
				t.Error("commits of the captain's have what the ship made: ", by)
			}
			content(t, c.dir, "a.txt", "ship's\n")
			content(t, c.dir, "new.txt", "ship's\n")
			if dirt := gitOutput(t, c.dir, "status", "--porcelain"); dirt != "" {
				t.Error(dirt)
			}
			gitOutput(t, c.dir, "commit", "-q", "--allow-empty", "-m", "mine") // the captain's git finds no lock
		})
	}
}
