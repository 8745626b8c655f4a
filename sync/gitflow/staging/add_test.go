package staging

import (
	"strings"
	"testing"
)

// TestAddAll stages changed files: a few plain files without a git, and anything else with one. In both cases the index has what
// git puts into another index.
func TestAddAll(t *testing.T) {
	for _, c := range []struct {
		name, do, files string
		git             bool
	}{
		{"edited", "echo 22 >a; echo 2 >dir/sub/c", "a dir/sub/c", false},
		{"twice", "echo 22 >a", "a a", false},
		{"added", "mkdir -p n/e/w; echo 2 >n/e/w/f; echo 2 >a0; echo 2 >zz; : >empty", "zz n/e/w/f a0 empty", false},
		{"removed", "rm a; rm -r dir", "a dir/b dir/sub/c", false},
		{"never there", "true", "gone dir/gone", false},
		{"executable", "chmod +x a", "a", false},
		{"links", "rm a link; ln -s dir/b a; echo 2 >link; ln -s nowhere new", "a link new", false},
		{"a directory becomes a link", "mv dir elsewhere; ln -s elsewhere dir", "dir/b dir/sub/c", false},
		{"a carriage return", "printf 'a\\r\\nb\\n' >a", "a", true},
		{"a file becomes a directory", "rm a; mkdir a; echo 2 >a/b", "a/b", true},
		{"a directory becomes a file", "rm -r dir; echo 2 >dir", "dir", true},
		{"large", "head -c 5000000 /dev/zero >a", "a", true},
		{"many", "for i in $(seq 201); do echo $i >f$i; done", "f*", true},
		{"no index version 2", "GIT_INDEX_FILE=.git/ocaptain/index git update-index --index-version 4; echo 2 >a", "a", true},
	} {
		for _, format := range []string{"sha1", "sha256"} {
			t.Run(c.name+" "+format, func(t *testing.T) {
				at := tree(t, format, "echo 2 >unused")
				at.Plain = true
				run(t, at.Dir, c.do)
				files := strings.Fields(run(t, at.Dir, "echo "+c.files))
				run(t, at.Dir, "cp .git/ocaptain/index .git/other; printf '%s\\0' "+c.files+" | GIT_INDEX_FILE=.git/other git update-index -z --add --remove --replace --stdin 2>/dev/null || GIT_INDEX_FILE=.git/other git update-index --force-remove "+c.files)
				started := countsGit(t)
				if refused, err := at.addAll(t.Context(), files); err != nil || len(refused) > 0 {
					t.Fatal(refused, err)
				}
				if started("update-index") != c.git {
					t.Errorf("git update-index started: %t", !c.git)
				}
				const list = "git ls-files -s; git diff-files --raw; git write-tree"
				if got, want := run(t, at.Dir, "export GIT_INDEX_FILE=.git/ocaptain/index; "+list), run(t, at.Dir, "export GIT_INDEX_FILE=.git/other; "+list); got != want {
					t.Errorf("the index has\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}
