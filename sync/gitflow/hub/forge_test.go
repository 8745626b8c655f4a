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

// puppet is a remote that says what it is told to.
type puppet func(ctx context.Context, verb string, stdin io.Reader, stdout io.Writer) error

func (p puppet) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	return p(ctx, args[0], stdin, stdout)
}

// says is a remote that gives one answer to everything.
func says(answer []byte) puppet {
	return func(ctx context.Context, _ string, stdin io.Reader, stdout io.Writer) error {
		if _, err := io.Copy(io.Discard, stdin); err != nil {
			return err
		}
		_, err := stdout.Write(answer)
		return err
	}
}

// workshop is a repository in which forbidden things are made.
type workshop struct {
	t    testing.TB
	dir  string
	base string // the hub's head
}

// crewed holds what every crew begins with. Git is asked for it once: it is copied then.
var crewed struct {
	once stdsync.Once
	dir  string // source, workspace and the trees ship-0 and ship-1
	base string
}

// begun copies a repository with one file, a hub's workspace of it, and two remotes that were brought to it.
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
	// With their times, or every git would have to read all files again.
	if out, err := exec.Command("cp", "-a", crewed.dir+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir, crewed.base
}

// forge opens a hub with one file, one remote that was brought to it, and a workshop that has its objects.
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

// object stores any bytes as an object of a kind.
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

// tree stores entries as they come.
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

// commit makes a commit of a tree on top of the base.
func (w workshop) commit(tree string) string {
	w.t.Helper()
	return w.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor E <e@e> 1700000000 +0000\ncommitter E <e@e> 1700000000 +0000\n\nx\n", tree, w.base))
}

// pack packs just the objects named.
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

// answer makes the reply of a remote that offers commit as its snapshot.
func (w workshop) answer(commit string, pack []byte) []byte {
	w.t.Helper()
	b, err := json.Marshal(wire.Reply{Commit: commit, Base: w.base, Pack: pack != nil})
	if err != nil {
		w.t.Fatal(err)
	}
	return append(append(b, '\n'), pack...)
}

// snapshot is the answer with a tree and everything made for it.
func (w workshop) snapshot(tree string, rest ...string) []byte {
	w.t.Helper()
	c := w.commit(tree)
	return w.answer(c, w.pack(append([]string{c, tree}, rest...)...))
}

// rejected makes sure that the hub takes nothing of an answer, neither as a snapshot nor in a merge.
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
