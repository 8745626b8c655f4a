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

// WrapGit puts a script before git in PATH, for everything in this process. In the script $real is the real git. A git that runs already
// is not wrapped.
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

// KillGit has the system kill every git of the clone at dir from the moment that the test sets, "" for none. A moment is the number of a
// git, the first being 1.
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
