package hub

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCleanIsForged: nothing that an agent wrote into its repository affects a clean checkout: no setting, hook or
// attribute, and no forged object with a blob's id.
func TestCleanIsForged(t *testing.T) {
	h, dir, _ := forge(t, Options{})
	put(t, dir, "check.sh", "exit 1\n")
	gitOutput(t, dir, "add", "check.sh")
	gitOutput(t, dir, "commit", "-q", "-m", "check")
	head := gitOutput(t, dir, "rev-parse", "HEAD")
	s := direct{filepath.Join(t.TempDir(), "workspace")}
	if _, err := h.Checkout(t.Context(), s, "ship-0", ""); err != nil {
		t.Fatal(err)
	}
	c := newCanary(t)
	c.arm(t, s.dir)
	put(t, s.dir, ".git/info/attributes", "* filter=evil\n")
	sees := func(clean string) error {
		b, err := os.ReadFile(filepath.Join(clean, "check.sh"))
		if err != nil || string(b) != "exit 1\n" {
			t.Errorf("check.sh is %q, %v", b, err)
		}
		if all := gitOutput(t, clean, "config", "--local", "--list"); strings.Contains(all, c.dir) {
			t.Errorf("settings of the agent's: %s", all)
		}
		if hooks, _ := filepath.Glob(filepath.Join(clean, gitOutput(t, clean, "rev-parse", "--git-path", "hooks"), "*")); len(hooks) > 0 {
			t.Errorf("hooks: %v", hooks)
		}
		if n := gitOutput(t, clean, "rev-list", "--count", "HEAD"); n == "1" {
			t.Error("there is no history")
		}
		return nil
	}
	if err := h.Clean(t.Context(), s, head, sees); err != nil {
		t.Fatal(err)
	}
	forgeObjects(t, s.dir, "exit 0\n")
	if got := gitOutput(t, s.dir, "cat-file", "blob", head+":check.sh"); got != "exit 0" {
		t.Fatalf("the forgery does not work: %q", got)
	}
	called := false
	err := h.Clean(t.Context(), s, head, func(clean string) error { called = true; return sees(clean) })
	if err == nil && !called {
		t.Error("nothing was said")
	}
}

// forgeObjects replaces the blob of check.sh by other content under the same object id.
func forgeObjects(t *testing.T, dir, forged string) {
	t.Helper()
	id := gitOutput(t, dir, "rev-parse", "HEAD:check.sh")
	packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	for _, pack := range packs {
		moved := filepath.Join(t.TempDir(), "pack")
		if err := os.Rename(pack, moved); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(strings.TrimSuffix(pack, ".pack") + ".idx"); err != nil {
			t.Fatal(err)
		}
		unpack := exec.Command("sh", "-c", `git unpack-objects -q <"$1"`, "unpack", moved)
		unpack.Dir = dir
		if out, err := unpack.CombinedOutput(); err != nil {
			t.Fatalf("unpack: %v\n%s", err, out)
		}
	}
	file := filepath.Join(dir, ".git/objects", id[:2], id[2:])
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "blob %d\x00%s", len(forged), forged)
	z.Close()
	_ = os.Remove(file)
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
