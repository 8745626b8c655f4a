package staging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/synctest"
	"ocaptain/sync/worktree"
)

// tree makes a repository with a commit, has script make a second commit on branch "to", and returns the tree at the
// first commit with its private index.
func tree(t *testing.T, format, script string) Tree {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	run(t, ".", "git init -q -b main --object-format="+format+" "+dir)
	run(t, dir, `git config user.name a && git config user.email a@b && mkdir -p dir/sub a-b
		for f in a a-b/c a.b dir/b dir/sub/c x; do echo 1 >$f; done
		ln -s a link && git add . && git commit -qm 1 && git checkout -q -b to`)
	run(t, dir, script)
	run(t, dir, "git add -A && git commit -qm 2 && git checkout -q main && git reset -q --hard && git status")
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Kept = git.NewKept()
	t.Cleanup(r.Kept.Close)
	tree, err := PrivateTree(r, git.Limits{}.WithDefaults(), format)
	if err != nil {
		t.Fatal(err)
	}
	if err := CopyFile(r.Path("index"), r.Path(PrivateIndex)); err != nil {
		t.Fatal(err)
	}
	return tree
}

// countsGit returns a function that reports whether a git with the given command has started.
func countsGit(t *testing.T) func(verb string) bool {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	synctest.WrapGit(t, `echo " $1 " >>`+log+`; exec $real "$@"`)
	return func(verb string) bool {
		raw, _ := os.ReadFile(log)
		return strings.Contains(string(raw), " "+verb+" ")
	}
}

// TestForth changes a tree to another commit: a few plain files without a git, and anything else with one. In both
// cases git finds files and index as after its own checkout.
func TestForth(t *testing.T) {
	for _, c := range []struct {
		name, do string
		git      bool
	}{
		{"edited", "echo 22 >a; echo 2 >dir/sub/c", false},
		{"same size", "echo 2 >a", false},
		{"added", "mkdir -p n/e/w; echo 2 >n/e/w/f; echo 2 >a0; echo 2 >zz; : >empty", false},
		{"removed", "rm a dir/sub/c x", false},
		{"only removed", "git rm -q -r dir", false},
		{"executable", "chmod +x a; echo 2 >new; chmod +x new", false},
		{"links", "rm a link; ln -s dir/b a; echo 2 >link; ln -s nowhere new", false},
		{"long name", "echo 2 >$(printf %0250d 1); mkdir -p $(printf %0200d/ 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19); echo 2 >$(printf %0200d/ 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)f", false},
		{"a file becomes a directory", "rm a; mkdir a; echo 2 >a/b", true},
		{"a directory becomes a file", "git rm -q -r dir; echo 2 >dir", true},
		{"attributes there", "echo '*.txt text eol=crlf' >.gitattributes; echo 2 >new.txt; git add .; git commit -qm 2; git branch -f main; echo 3 >new.txt", true},
		{"attributes that convert nothing", "printf '* text=auto\\n*.png binary\\n*.sh text eol=lf\\n*.go diff=golang\\n' >.gitattributes; echo 2 >new.txt; printf 'a\\r\\nb\\n' >new.png; git add .; git commit -qm 2; git branch -f main; printf 'c\\r\\nd\\n' >new.png; echo 3 >new.sh", false},
		{"core.eol", "git config core.eol crlf; echo '*.txt text' >.gitattributes; echo 2 >new.txt; git add .; git commit -qm 2; git branch -f main; echo 3 >new.txt", true},
		{"attributes come", "echo '* text eol=crlf' >dir/.gitattributes; echo 2 >dir/b", true},
		{"attributes come that convert nothing", "echo '* text=auto eol=lf' >dir/.gitattributes; echo 2 >dir/b", false},
		{"own attributes", "echo '* text eol=crlf' >.git/info/attributes; echo 2 >a", true},
		{"large", "head -c 5000000 /dev/zero >a", true},
		{"many", "for i in $(seq 201); do echo $i >f$i; done", true},
		{"no index version 2", "git update-index --index-version 4; echo 2 >a", true},
		{"submodule", "git init -q --object-format=$(git rev-parse --show-object-format) sub; git -C sub -c user.name=a -c user.email=a@b commit -q --allow-empty -m 1; git add sub 2>/dev/null; rm -rf sub; mkdir sub", true},
	} {
		for _, format := range []string{"sha1", "sha256"} {
			if c.git && format == "sha256" {
				continue
			}
			t.Run(c.name+" "+format, func(t *testing.T) {
				at := tree(t, format, c.do)
				started := countsGit(t)
				from, err := at.Resolve(t.Context(), "main^{tree}", "to^{tree}")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := at.Forth(t.Context(), "main", "to"); err != nil {
					t.Fatal(err)
				}
				if started("read-tree") != c.git {
					t.Errorf("git read-tree started: %t", !c.git)
				}
				run(t, at.Dir, "cp .git/ocaptain/index .git/index && git symbolic-ref HEAD refs/heads/to")
				want, got := run(t, at.Dir, "git ls-tree -r to"), run(t, at.Dir, "git ls-files -s | sed 's/ 0\t/\t/; s/^100[0-9]* /& blob /; s/^120000 /& blob /; s/^160000 /& commit /; s/  / /'")
				if want != got {
					t.Errorf("the index has\n%s\nthe commit\n%s", got, want)
				}
				if diff := run(t, at.Dir, "git diff-files --raw"); diff != "" {
					t.Errorf("git takes files for changed:\n%s", diff)
				}
				if tree := run(t, at.Dir, "git write-tree"); tree != from[1] {
					t.Errorf("git writes the tree %s, not %s", tree, from[1])
				}
				// The trees in the index count for what git writes next.
				run(t, at.Dir, "echo 9 >a-b/c; git add a-b/c")
				if one, other := run(t, at.Dir, "git write-tree"), run(t, at.Dir, "GIT_INDEX_FILE=.git/other git read-tree to && GIT_INDEX_FILE=.git/other git update-index a-b/c && GIT_INDEX_FILE=.git/other git write-tree"); one != other {
					t.Errorf("git writes the tree %s, not %s", one, other)
				}
			})
		}
	}
}

// TestCheckOutFew checks a commit out into a new repository, and compares files and index with git's own checkout.
func TestCheckOutFew(t *testing.T) {
	for _, c := range []struct {
		name, do string
		few      bool
	}{
		{"plain", "chmod +x a; ln -s nowhere new; : >empty; mkdir -p n/e/w; echo 2 >n/e/w/f", true},
		{"attributes that convert nothing", "echo '*.png binary' >.gitattributes", true},
		{"attributes that convert", "echo '* text eol=crlf' >dir/.gitattributes", false},
		{"many", "for i in $(seq 201); do echo $i >f$i; done", false},
		{"large", "head -c 5000000 /dev/zero >a", false},
		{"submodule", "git init -q --object-format=$(git rev-parse --show-object-format) sub; git -C sub -c user.name=a -c user.email=a@b commit -q --allow-empty -m 1; git add sub 2>/dev/null", false},
	} {
		for _, format := range []string{"sha1", "sha256"} {
			t.Run(c.name+" "+format, func(t *testing.T) {
				from := tree(t, format, c.do)
				ids, err := from.Resolve(t.Context(), "to", "to^{tree}")
				if err != nil {
					t.Fatal(err)
				}
				to := git.Repo{Dir: t.TempDir()}
				to.GitDir = filepath.Join(to.Dir, ".git")
				if err := to.InitAt(ids[0]); err != nil {
					t.Fatal(err)
				}
				run(t, to.Dir, "echo "+from.Path("objects")+" >.git/objects/info/alternates")
				if few := CheckOutFew(t.Context(), from.Repo, to, ids[1]); few != c.few {
					t.Fatalf("without git: %t", few)
				} else if !few {
					return
				}
				if diff := run(t, to.Dir, "git status --porcelain && git fsck --no-dangling"); diff != "" {
					t.Errorf("git finds\n%s", diff)
				}
				if got := run(t, to.Dir, "git write-tree"); got != ids[1] {
					t.Errorf("git writes the tree %s, not %s", got, ids[1])
				}
				run(t, from.Dir, "git checkout -q to && rm -r .git")
				run(t, to.Dir, "rm -r .git && diff -r --no-dereference . "+from.Dir)
				if own, gits := run(t, to.Dir, "find . -type f -perm -100"), run(t, from.Dir, "find . -type f -perm -100"); own != gits {
					t.Errorf("executable are %q, not %q", own, gits)
				}
			})
		}
	}
}

// TestForthSameSecond edits files before and after Forth such that only the order of their times and the index's tells git
// that they changed: same size, and same second as the entry.
func TestForthSameSecond(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"a file that came", "", "echo 3 >a"},
		{"another file", "echo 3 >x && touch -d @1000000000.9 x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := tree(t, "sha1", "echo 2 >a")
			// Git shall compare only sizes and seconds of the last write.
			run(t, at.Dir, "git config core.trustctime false && git config core.checkStat minimal && touch -d @1000000000.1 x && git add x && touch -d @1000000000.5 .git/index && cp -p .git/index .git/ocaptain/index")
			run(t, at.Dir, "true;"+c.before)
			if _, err := at.Forth(t.Context(), "main", "to"); err != nil {
				t.Fatal(err)
			}
			index, err := os.Lstat(at.Path(PrivateIndex))
			if err != nil {
				t.Fatal(err)
			}
			brought, err := os.Lstat(filepath.Join(at.Dir, "a"))
			if err != nil || index.ModTime().After(worktree.ChangeTime(brought)) {
				t.Errorf("the index is younger than the file that came: %v", err)
			}
			run(t, at.Dir, "true;"+c.after)
			run(t, at.Dir, "cp -p .git/ocaptain/index .git/index && git symbolic-ref HEAD refs/heads/to")
			if changed := run(t, at.Dir, "git diff-files --name-only"); changed == "" {
				t.Error("git takes the edited file for unchanged")
			}
		})
	}
}
