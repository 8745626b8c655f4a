package staging

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
)

// TestLookClean: lookClean finds a tree clean only if git does, and finds it clean again after its files were touched.
func TestLookClean(t *testing.T) {
	for _, c := range []struct {
		name, do string
		clean    bool
	}{
		{"nothing", "true", true},
		{"touched", "touch a dir/b", true},
		{"rewritten", "cp a x && mv x a", true},
		{"committed by hand", "echo 2 >a && git commit -qam more", true},
		{"edited", "echo 2 >a", false},
		{"edited, old time", "cp -p a x && echo 2 >a && touch -r x a && rm x", false},
		{"untracked", "echo 2 >new", false},
		{"untracked, deep", "mkdir -p dir/sub && echo 2 >dir/sub/new", false},
		{"ignored", "echo ignored >.git/info/exclude && echo 2 >ignored", false},
		{"removed", "rm dir/b", false},
		{"executable", "chmod +x a", false},
		{"a file is a link", "rm a && ln -s dir/b a", false},
		{"a link is a file", "rm link && echo a >link", false},
		{"a directory is a link", "mv dir ../moved && ln -s ../moved dir", false},
		{"a directory is a file", "rm -r dir && echo 1 >dir", false},
		{"a directory is gone", "rm -r dir", false},
		{"a file is a directory", "rm a && mkdir a && touch a/b", false},
		{"staged", "echo 2 >a && git add a", false},
		{"staged, then undone", "echo 2 >a && git add a && echo 1 >a", false},
		{"staged removal", "git rm -q --cached a", false},
		{"intent to add", "echo 2 >new && git add -N new", false},
		{"skipped", "git update-index --skip-worktree a && rm a", false},
		{"assumed unchanged", "git update-index --assume-unchanged a && echo 2 >a", false},
		{"HEAD moved", "git branch was && git commit -q --allow-empty -m x && git reset -q --soft was && echo 2 >a && git commit -qam y && git reset -q --soft was", false},
		{"detached", "git checkout -q --detach", false},
		{"no commit yet", "git update-ref -d HEAD", false},
		{"conflict", "git checkout -q -b o && echo 2 >a && git commit -qam o && git checkout -q - && echo 3 >a && git commit -qam n && ! git merge -q o", false},
		{"repository inside", "git init -q dir/inside", false},
		{"empty directory", "mkdir empty", false},
		{"no such index", "rm .git/index", false},
		{"split index", "git update-index --split-index && echo 2 >a && git add a", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "tree")
			run(t, ".", "git init -q "+dir)
			run(t, dir, "git config user.name a && git config user.email a@b && mkdir dir && echo 1 >a && echo 1 >dir/b && ln -s a link && git add . && git commit -qm 1 && touch -d '1 hour ago' a dir/b && git status")
			run(t, dir, c.do)
			r, err := git.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := PrivateTree(r, git.Limits{}, "sha1")
			if err != nil {
				t.Fatal(err)
			}
			_ = CopyFile(r.Path("index"), r.Path(PrivateIndex))
			tree.Settled(t.Context(), []string{"a", "dir/b"}) // until the files' times are old enough to be trusted
			found, clean := tree.lookClean(t.Context())
			if clean != c.clean {
				t.Errorf("clean %t", clean)
			}
			raw, err := r.Bytes(t.Context(), nil, statusArgs...)
			if err != nil {
				t.Fatal(err)
			}
			if says, err := ParseStatus(raw); err != nil || clean && !reflect.DeepEqual(found, says) {
				t.Errorf("found %+v; git says %+v, %v", found, says, err)
			}
		})
	}
}

// run returns what a script prints in dir.
func run(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s%s", script, err, out, &said)
	}
	return strings.TrimSpace(string(out))
}
