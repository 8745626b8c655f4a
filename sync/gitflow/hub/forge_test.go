package hub

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	stdsync "sync"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/gitflow/wire"
	"ocaptain/tasks/eventually"
)

// puppet is a remote whose behaviour is a function.
type puppet func(ctx context.Context, verb string, stdin io.Reader, stdout io.Writer) error

func (p puppet) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	return p(ctx, args[0], stdin, stdout)
}

// says returns a remote that gives the same reply to every request.
func says(answer []byte) puppet {
	return func(ctx context.Context, _ string, stdin io.Reader, stdout io.Writer) error {
		if _, err := io.Copy(io.Discard, stdin); err != nil {
			return err
		}
		_, err := stdout.Write(answer)
		return err
	}
}

// workshop is a repository in which tests make invalid or hostile objects.
type workshop struct {
	t    testing.TB
	dir  string
	base string // the hub's head
}

// crewed holds the repositories with which every crew begins. Git makes them once; each test gets a copy.
var crewed struct {
	once stdsync.Once
	dir  string // holds source, the hub's workspace and the trees of ship-0 and ship-1
	base string
}

// begun returns a copy of a repository with one file, a hub's workspace of it, and two remote trees that are checked
// out.
func begun(t testing.TB) (dir, base string) {
	t.Helper()
	crewed.once.Do(func() {
		crewed.dir = filepath.Join(os.Getenv("HOME"), "crew")
		source, workspace := filepath.Join(crewed.dir, "source"), filepath.Join(crewed.dir, "hub", "workspace")
		put(t, source, "a.txt", "a\n")
		gitOutput(t, source, "init", "-q", "-b", "main")
		gitOutput(t, source, "add", "-A")
		gitOutput(t, source, "commit", "-q", "-m", "begin")
		base, err := origin.Prepare(t.Context(), workspace, source, "voyage", origin.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := Open(t.Context(), workspace, "voyage", Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		for _, name := range []string{"ship-0", "ship-1"} {
			if _, err := h.Checkout(t.Context(), direct{filepath.Join(crewed.dir, name, "workspace")}, name, ""); err != nil {
				t.Fatal(err)
			}
		}
		crewed.base = base
	})
	if crewed.base == "" {
		t.Fatal("the test that was to begin has failed")
	}
	dir = t.TempDir()
	// cp -a keeps the times, else git would have to read all files again.
	if out, err := exec.Command("cp", "-a", crewed.dir+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir, crewed.base
}

// forge opens a hub on a copy of crewed, and returns its directory and a workshop with its objects.
func forge(t testing.TB, opts Options) (*Hub, string, workshop) {
	t.Helper()
	at, base := begun(t)
	dir := filepath.Join(at, "hub", "workspace")
	h, err := Open(t.Context(), dir, "voyage", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h, dir, workshop{t, filepath.Join(at, "source"), base}
}

// object stores content as a git object, without git's checks.
func (w workshop) object(kind string, content []byte) string {
	w.t.Helper()
	cmd := exec.Command("git", "hash-object", "-w", "-t", kind, "--stdin", "--literally")
	cmd.Dir, cmd.Stdin = w.dir, bytes.NewReader(content)
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

type entry struct{ mode, name, id string }

// tree stores a tree object with entries in the given order.
func (w workshop) tree(entries ...entry) string {
	w.t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		raw, err := hex.DecodeString(e.id)
		if err != nil {
			w.t.Fatal(err)
		}
		b.WriteString(e.mode + " " + e.name + "\x00")
		b.Write(raw)
	}
	return w.object("tree", b.Bytes())
}

func (w workshop) blob(content string) string { w.t.Helper(); return w.object("blob", []byte(content)) }

// commit makes a commit of a tree on top of w.base.
func (w workshop) commit(tree string) string {
	w.t.Helper()
	return w.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor E <e@e> 1700000000 +0000\ncommitter E <e@e> 1700000000 +0000\n\nx\n", tree, w.base))
}

// pack packs the named objects and no others.
func (w workshop) pack(ids ...string) []byte {
	w.t.Helper()
	cmd := exec.Command("git", "pack-objects", "--stdout", "-q")
	cmd.Dir, cmd.Stdin = w.dir, strings.NewReader(strings.Join(ids, "\n")+"\n")
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// answer returns the reply of a remote with commit as its snapshot.
func (w workshop) answer(commit string, pack []byte) []byte {
	w.t.Helper()
	b, err := json.Marshal(wire.Reply{Commit: commit, Base: w.base, Pack: pack != nil})
	if err != nil {
		w.t.Fatal(err)
	}
	return append(append(b, '\n'), pack...)
}

// snapshot returns the reply with a commit of tree; its pack has also the objects rest.
func (w workshop) snapshot(tree string, rest ...string) []byte {
	w.t.Helper()
	c := w.commit(tree)
	return w.answer(c, w.pack(append([]string{c, tree}, rest...)...))
}

// rejected checks that the hub refuses a reply, to Snapshot and to Merge, and keeps nothing of it.
func rejected(t *testing.T, h *Hub, dir string, w workshop, answer []byte) {
	t.Helper()
	ctx := eventually.Context(t)
	_, err := h.Snapshot(ctx, says(answer), "ship-0")
	if err == nil {
		t.Fatal("the snapshot was taken")
	}
	t.Log(err)
	if strings.Contains(err.Error(), "\n") || len(err.Error()) > 2000 {
		t.Errorf("not fit to be shown: %q", err)
	}
	order := sync.Merge{Name: "ship-0", Subject: "x", Author: "E <e@e>"}
	if _, err := h.Merge(ctx, says(answer), order); err == nil {
		t.Fatal("the merge was taken")
	}
	if head, err := h.Head(ctx); err != nil || head != w.base {
		t.Fatalf("the branch moved to %s, %v", head, err)
	}
	if live := gitOutput(t, dir, "rev-parse", "refs/ocaptain/live/ship-0"); live != w.base {
		t.Fatalf("a snapshot was recorded: %s", live)
	}
	if rooms, _ := filepath.Glob(filepath.Join(dir, ".git/objects", git.QuarantinePrefix+"*", "*")); len(rooms) > 0 {
		t.Fatalf("quarantine is left: %v", rooms)
	}
	if dirt := gitOutput(t, dir, "status", "--porcelain"); dirt != "" {
		t.Fatalf("the captain's tree changed: %s", dirt)
	}
}
