package walls

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// planted makes a home in which an agent has left files that could make a failing check pass.
func planted(t *testing.T) (home string, env []string) {
	t.Helper()
	home, err := os.MkdirTemp("/tmp", "planted-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	passes := "#!/bin/sh\nexit 0\n"
	files := map[string]string{
		".bashrc": "exit 0\n", ".profile": "exit 0\n", ".bash_profile": "exit 0\n", ".bash_env": "exit 0\n", ".shrc": "exit 0\n", ".zshenv": "exit 0\n",
		".npmrc": "ignore-scripts=true\nscript-shell=/bin/true\n", ".gitconfig": "[alias]\n\tcheck = !true\n[core]\n\thooksPath = /tmp\n",
		".config/git/config": "[alias]\n\tcheck = !true\n", ".config/go/env": "GOFLAGS=-run=none\n", ".config/pip/pip.conf": "[global]\nno-index = true\n",
		".cargo/config.toml": "[alias]\ntest = \"version\"\n", "voyage/go.work": "go 1.1\n", "voyage/package.json": "{}", "pytest.ini": "[pytest]\naddopts = --collect-only\n",
		"bin/go": passes, "bin/false": passes, ".local/bin/false": passes, "bin/sh": passes, "bin/bash": passes, "bin/test": passes, "bin/git": passes,
		"node_modules/.bin/false": passes, "voyage/node_modules/.bin/false": passes, "start.py": "import os; os._exit(0)\n", "squat/x": "",
	}
	site, err := exec.Command("python3", "-c", "import sys; print('.local/lib/python%d.%d/site-packages' % sys.version_info[:2])").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"usercustomize.py", "sitecustomize.py"} {
		files[filepath.Join(strings.TrimSpace(string(site)), name)] = "import os; os._exit(0)\n"
	}
	for name, text := range files {
		file := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/usr/bin", filepath.Join(home, "linked")); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(home, name) }
	return home, []string{
		"HOME=" + home, "PATH=" + in("bin") + ":" + in(".local/bin") + "::.:" + in("linked") + ":" + in("voyage/node_modules/.bin") + ":" + os.Getenv("PATH"),
		"BASH_ENV=" + in(".bash_env"), "ENV=" + in(".shrc"), "ZDOTDIR=" + home, "TMPDIR=" + in("squat"), "PYTHONSTARTUP=" + in("start.py"), "PYTHONPATH=" + in(strings.TrimSpace(string(site))),
		"NODE_OPTIONS=--require=" + in("x.js"), "NODE_PATH=" + in("node_modules"), "GIT_CONFIG_GLOBAL=" + in(".gitconfig"), "GIT_DIR=" + home, "GIT_EXEC_PATH=" + in("bin"),
		"XDG_CONFIG_HOME=" + in(".config"), "GOFLAGS=-run=none", "GOENV=" + in(".config/go/env"), "npm_config_ignore_scripts=true", "MAKEFLAGS=-n", "PERL5OPT=-mx",
		"BASH_FUNC_false%%=() { return 0; }", "BASH_FUNC_exec%%=() { builtin exit 0; }", "BASH_FUNC_test%%=() { return 0; }", "SHELLOPTS=noexec",
	}
}

// A failing check fails whatever an agent has left in its home.
func TestPlanted(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Fatal("only the superuser can run checks as another user: run this test as root")
	}
	home, env := planted(t)
	t.Cleanup(func() { // a check that kills everything leaves its files
		for _, left := range scratches(t) {
			_ = os.RemoveAll(strings.TrimSuffix(left, "/home/voyage/workspace/here"))
		}
	})
	probes := map[string]string{
		"a program": "false", "a function": "test 1 = 2", "bash": "bash -c 'exit 1'", "a login shell": "bash -lc 'exit 1'", "an interactive shell": "bash -ic 'exit 1'",
		"sh": "sh -c 'exit 1'", "a path": "case $PATH in *" + filepath.Base(home) + "*) exit 0 ;; *::*) exit 0 ;; esac; exit 1", "an alias": "git check",
		"settings of git": "git config --global --get-regexp . || exit 1", "python": "python3 -c 'import sys; sys.exit(1)'", "a module": "python3 -c 'import usercustomize'",
		"npm": "test -e ~/.npmrc || test -e ../.npmrc", "settings": "test -e ~/.config || test -e ~/.local || test -e ~/.cargo || test -e ../node_modules || test -e ../go.work",
		"variables": "env | grep -Eqv '^(HOME|PATH|TMPDIR|USER|LOGNAME|SHELL|LANG|TERM|PWD|OLDPWD|SHLVL|_)='", "make": "printf 'all:\\n\\tfalse\\n' | make -f -",
		"a link": `case $PATH in *linked*) exit 0 ;; esac; exit 1`, "a squat": "case $TMPDIR in *squat*) exit 0 ;; esac; exit 1", "input": "read x",
	}
	all := ""
	for name, probe := range probes {
		all += "(" + probe + "\n) && echo '" + name + " passed'\n"
	}
	checks := map[string]string{
		"a program": "false", "an end": "kill -9 $PPID; exit 0", "end of all": "kill 0; exit 0", "all probes": all + "echo tried; exit 1",
	}
	for _, uid := range []int{os.Getuid(), 65534} {
		own(t, home, uid)
		for name, check := range checks {
			if out, passed := inClean(t, home, env, uid, check, "", ""); passed {
				t.Errorf("as %d: %s passed: %s", uid, name, out)
			} else if name == "all probes" && !tried(out) {
				t.Errorf("as %d: %s", uid, out)
			}
			if out, passed := inClean(t, home, env, uid, "", "#!/bin/bash\n"+check+"\n", ""); passed {
				t.Errorf("as %d: %s passed in verify.sh: %s", uid, name, out)
			} else if name == "all probes" && !tried(out) {
				t.Errorf("as %d, in verify.sh: %s", uid, out)
			}
		}
		before := len(scratches(t))
		for _, check := range []string{"true", "cat here", `test "$PWD" -ef ~/voyage/workspace`, "touch $TMPDIR/x ~/y && mkdir -p ro/x && chmod 500 ro"} {
			if out, passed := inClean(t, home, env, uid, check, "", ""); !passed {
				t.Errorf("as %d: %s failed: %s", uid, check, out)
			}
		}
		if after := len(scratches(t)); after > before {
			t.Errorf("as %d: %d homes are left behind", uid, after-before)
		}
		// startup is a startup file that ends the shell before the check runs.
		if _, passed := inClean(t, home, env, uid, "false", "", "exit 0"); passed {
			t.Errorf("as %d: a startup file passed", uid)
		}
	}
}

// tried reports whether a check tried every probe and none of them got through.
func tried(out string) bool {
	return strings.Contains(out, "tried") && !strings.Contains(out, "passed")
}

// On a ship in a sandbox, a check finds nothing that the agent has left anywhere, except for the history of its
// checkout.
func TestPlantedBehindWall(t *testing.T) {
	t.Parallel()
	home, env := planted(t)
	history := filepath.Join(home, "voyage", "workspace", ".git", "objects")
	if err := errors.Join(os.MkdirAll(history, 0o755), os.WriteFile(filepath.Join(history, "old"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	walled := []string{
		"bwrap", "--dev-bind", "/", "/", "--cap-drop", "ALL", "--perms", "1777", "--tmpfs", "/tmp", "--bind", home, home, "--",
		"/bin/sh", "-c", `mkdir -p /tmp/node_modules && touch /tmp/go.work && exec "$@"`, "ship",
	}
	if os.Getuid() != 0 {
		walled = append([]string{"bwrap", "--unshare-user"}, walled[1:]...)
	}
	uid := os.Getuid()
	if uid == 0 {
		uid = 65534 // the ships of a captain who is root are other users
	}
	own(t, home, uid)
	for check, want := range map[string]bool{
		"test -e /tmp/go.work || test -e /tmp/node_modules":         false,
		"test -e " + home + "/pytest.ini || ls -A " + home + "/bin": false,
		"test -e ../../go.work || test -e ~/../go.work":             false,
		"test -e " + history + "/old":                               true,
		"touch " + history + "/new":                                 false,
		"test -f here && touch /tmp/x ~/y $TMPDIR/z":                true,
	} {
		if out, passed := inClean(t, home, env, uid, check, "", "", walled...); passed != want {
			t.Errorf("%s: %v: %s", check, passed, out)
		}
	}
}

// Where a machine lets root make no sandbox, a check runs as another user, and the processes that it leaves running are ended
// all the same.
func TestLeftWithoutWalls(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Fatal("only the superuser can run checks as another user: run this test as root")
	}
	home, env := planted(t)
	bare := []string{"bwrap", "--dev-bind", "/", "/", "--cap-drop", "ALL"}
	for _, c := range []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETUID", "SETGID"} {
		bare = append(bare, "--cap-add", "CAP_"+c)
	}
	out, passed := inClean(t, home, env, 0, "setsid sleep 98764 >/dev/null 2>&1 & id -u", "", "", append(bare, "--")...)
	if !passed || strings.HasPrefix(out, "0\n") {
		t.Errorf("passed: %v: %s", passed, out)
	}
	if left, err := exec.Command("pgrep", "-f", "^sleep 98764").Output(); err == nil {
		t.Errorf("it leaves %s", left)
	}
}

// scratches returns the files in the homes of this test's checks.
func scratches(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob("/tmp/check.*/home/voyage/workspace/here")
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func own(t *testing.T, home string, uid int) {
	t.Helper()
	err := filepath.Walk(home, func(name string, _ os.FileInfo, err error) error {
		return errors.Join(err, os.Lchown(name, uid, -1))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inClean runs a check as the ship's user would, and reports whether it passed.
func inClean(t *testing.T, home string, env []string, uid int, command, script, startup string, walls ...string) (string, bool) {
	t.Helper()
	dir := filepath.Join(home, "voyage", ".clean-1")
	info := filepath.Join(dir, ".git", "objects", "info")
	err := errors.Join(os.MkdirAll(info, 0o755), os.WriteFile(filepath.Join(dir, "here"), nil, 0o644),
		os.WriteFile(filepath.Join(info, "alternates"), []byte(filepath.Join(home, "voyage", "workspace", ".git", "objects")+"\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	own(t, dir, uid)
	argv := argv(dir, command)
	if startup != "" {
		argv = append([]string{"/bin/bash", "-c", startup + "\nexec \"$@\"", "sshd"}, argv...)
	}
	argv = append(walls, argv...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = home, env
	cmd.Stdin = strings.NewReader("the-word\n" + script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if uid != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	out, err := cmd.Output()
	return string(out), err == nil && strings.HasSuffix(string(out), "the-word")
}
