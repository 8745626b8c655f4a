package synctest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Begin makes a repository with a.txt committed on branch voyage.
func Begin(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	Git(t, dir, "init", "-q", "-b", "voyage")
	Put(t, dir, "a.txt", "a\n")
	Git(t, dir, "add", "-A")
	Git(t, dir, "commit", "-q", "-m", "begin")
	return dir
}

// WrapGit puts a script named git into PATH until the test ends. In the script, $real is the real git. A git that
// runs already is not affected.
func WrapGit(t *testing.T, script string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/bash\nreal="+real+"\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// KillGit kills git processes of the clone at dir. After from("3"), the third git and all later ones are killed;
// from("") ends that.
func KillGit(t *testing.T, dir string) (from func(moment string)) {
	t.Helper()
	room := t.TempDir()
	count, last := filepath.Join(room, "count"), filepath.Join(room, "last")
	WrapGit(t, `
last=; [ -e `+last+` ] && read -r last <`+last+`
[ "$GIT_DIR" = `+dir+`/.git ] && [ "$last" ] || exec $real "$@"
echo -n x >>`+count+`
n=; read -r n <`+count+`; n=${#n}
(( n < last )) && exec $real "$@"
(( n == last )) && [ "$1" = update-ref ] && $real "$@"
kill -KILL $$
`)
	return func(moment string) {
		Put(t, room, "count", "")
		Put(t, room, "last", moment)
	}
}
