package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/tasks/eventually"
)

// ship makes a ship whose clone has this setup script, none for "".
func ship(t *testing.T, script string) (home, clone string) {
	t.Helper()
	home = aboardtest.NewShip(t, nil)
	clone = filepath.Join(home, "voyage", "workspace")
	git(t, clone, "init", "-q")
	put(t, clone, script)
	return home, clone
}

func git(t *testing.T, clone string, args ...string) string {
	t.Helper()
	args = append([]string{"-C", clone, "-c", "user.name=x", "-c", "user.email=x@x"}, args...)
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %s", args, out)
	}
	return string(out)
}

func put(t *testing.T, clone, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(clone, "scripts"), 0o755); err != nil {
		t.Fatal(err)
	}
	if script != "" {
		if err := os.WriteFile(filepath.Join(clone, Script), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git(t, clone, "add", "scripts")
	git(t, clone, "commit", "-q", "--allow-empty", "-m", "set up")
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		return ""
	}
	return string(raw)
}

func TestNone(t *testing.T) {
	home, _ := ship(t, "")
	if err := Run(t.Context(), home); err != nil {
		t.Error(err)
	}
}

// The script runs once in the clone, and again when it has changed or has failed.
func TestAgain(t *testing.T) {
	home, clone := ship(t, "pwd >>~/ran; exit 3")
	for range 2 {
		if err := Run(t.Context(), home); err == nil || !strings.Contains(err.Error(), "exit code 3") {
			t.Errorf("got %v", err)
		}
	}
	for _, script := range []string{"pwd >>~/ran", "pwd >>~/ran", "pwd >>~/ran # anew"} {
		put(t, clone, script)
		if err := Run(t.Context(), home); err != nil {
			t.Error(err)
		}
	}
	if ran := read(t, home, "ran"); ran != strings.Repeat(clone+"\n", 4) {
		t.Errorf("it ran as %q", ran)
	}
}

// A script that is not executable is run by sh.
func TestNotExecutable(t *testing.T) {
	home, clone := ship(t, "echo x >~/ran")
	if err := os.Chmod(filepath.Join(clone, Script), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), home); err != nil || read(t, home, "ran") != "x\n" {
		t.Errorf("%v, it ran as %q", err, read(t, home, "ran"))
	}
}

// The error has the last lines of the output, and so has the ship's log.
func TestLastLines(t *testing.T) {
	home, _ := ship(t, "seq 2000; echo no such package >&2; exit 1")
	err := Run(t.Context(), home)
	if err == nil || !strings.HasSuffix(err.Error(), "\n1999\n2000\nno such package") || strings.Contains(err.Error(), "\n1990\n") {
		t.Errorf("got %v", err)
	}
	if log := read(t, home, ".ocaptain", "journal.jsonl"); !strings.Contains(log, "no such package") || strings.Contains(log, `"900"`) {
		t.Error("the log has all of it, or not the end")
	}
}

// A script prints 100 MB: the file stays small, and its end is known.
func TestEndlessOutput(t *testing.T) {
	home, _ := ship(t, "yes 0123456789 | head -c 110000000; echo the end; exit 1")
	err := Run(t.Context(), home)
	if err == nil || !strings.HasSuffix(err.Error(), "\nthe end") {
		t.Errorf("got %v", err)
	}
	if info, err := os.Stat(filepath.Join(home, ".ocaptain", "setup.log")); err != nil || info.Size() > mostOutput {
		t.Errorf("its file is %v, %v", info, err)
	}
}

// A script reads from the terminal: it has none, and no input.
func TestAsks(t *testing.T) {
	home, _ := ship(t, `printf 'name? '; read -r name && exit 4; (echo 'name?' >/dev/tty) 2>/dev/null && exit 5; exit 0`)
	if err := Run(t.Context(), home); err != nil {
		t.Error(err)
	}
}

// Run does not wait for a process that the script leaves in the background, and that process goes on.
func TestBackground(t *testing.T) {
	home, _ := ship(t, "(while ! test -e ~/stop; do echo still here; sleep 0.05; done; echo stopped >~/stopped) &\necho $! >~/pid")
	t.Cleanup(func() {
		var pid int
		if _, err := fmt.Sscan(read(t, home, "pid"), &pid); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	if err := Run(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "stop"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it goes on until it is told to stop", func() bool { return read(t, home, "stopped") == "stopped\n" })
}

// A script hangs: it ends when ctx ends.
func TestHangs(t *testing.T) {
	home, _ := ship(t, "echo x >~/began; sleep 1000 & wait")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		eventually.Holds(t, "it has begun", func() bool { return read(t, home, "began") == "x\n" })
		cancel(context.DeadlineExceeded)
	}()
	if err := Run(ctx, home); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("got %v", err)
	}
}

// If a script already runs, Run waits for it, and does not start another.
func TestBeside(t *testing.T) {
	home, _ := ship(t, "echo x >>~/ran; sleep 0.3")
	errs := make(chan error, 3)
	for range cap(errs) {
		go func() { errs <- Run(t.Context(), home) }()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if ran := read(t, home, "ran"); ran != "x\n" {
		t.Errorf("it ran as %q", ran)
	}
}

// Files that the script adds to the clone are ignored there, by exact name, also if it fails. Files that others add
// are not.
func TestAdds(t *testing.T) {
	home, clone := ship(t, `mkdir gen; echo x | tee .env '#a' '!b' 'c d' 'e[1]' 'f*' 'g ' 'h\\i' gen/one >/dev/null; test -e ~/cured`)
	if err := Run(t.Context(), home); err == nil {
		t.Error("it did not fail")
	}
	for _, name := range []string{"e1", "fff", "gen/two"} {
		if err := os.WriteFile(filepath.Join(clone, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if is := git(t, clone, "status", "--porcelain", "-uall"); is != "?? e1\n?? fff\n?? gen/two\n" {
		t.Errorf("work is:\n%s", is)
	}
}

// If the script adds very many files, their directories are ignored.
func TestAddsMany(t *testing.T) {
	home, clone := ship(t, "mkdir -p a/b; cd a/b; seq 3000 | xargs touch; touch ../../c")
	if err := Run(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	if is := git(t, clone, "status", "--porcelain"); is != "" {
		t.Errorf("work is:\n%s", is)
	}
	if is := read(t, clone, ".git", "info", "exclude"); !strings.HasSuffix(is, "\n/a/\n/c\n") {
		t.Errorf("ignored is:\n%s", is)
	}
}

// The script runs again if its results are gone: in another clone, and if it changes files that each dispatch resets.
func TestRunsAgain(t *testing.T) {
	for what, script := range map[string]string{"another clone": "echo x >>~/ran", "a changed file": "echo x >>~/ran; echo '#' >>$0"} {
		home, clone := ship(t, script)
		for range 2 {
			if err := Run(t.Context(), home); err != nil {
				t.Fatal(err)
			}
			if what == "a changed file" {
				git(t, clone, "checkout", "-q", ".")
				continue
			}
			if err := os.RemoveAll(filepath.Join(clone, ".git")); err != nil {
				t.Fatal(err)
			}
			git(t, clone, "init", "-q")
		}
		if ran := read(t, home, "ran"); ran != "x\nx\n" {
			t.Errorf("%s: it ran as %q", what, ran)
		}
	}
}

// homeVar makes this binary run the setup of a ship, so that a test can kill it.
const homeVar = "OCAPTAIN_TEST_SETUP"

// If a run is killed, as when its machine is, the files that it added do not count as work: the next run excludes
// them.
func TestKilled(t *testing.T) {
	if home := os.Getenv(homeVar); home != "" {
		t.Fatal(Run(t.Context(), home))
	}
	home, clone := ship(t, "echo x >gen; test -e ~/pid || { echo $$ >~/pid; sleep 1000; }")
	if err := os.WriteFile(filepath.Join(clone, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestKilled$")
	cmd.Env = append(os.Environ(), homeVar+"="+home)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	script := 0
	eventually.Succeeds(t, "the script runs", func() error {
		_, err := fmt.Sscan(read(t, home, "pid"), &script)
		return err
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	_ = syscall.Kill(-script, syscall.SIGKILL)
	for range 2 {
		if err := Run(t.Context(), home); err != nil {
			t.Fatal(err)
		}
	}
	if is := git(t, clone, "status", "--porcelain"); is != "?? mine\n" {
		t.Errorf("work is:\n%s", is)
	}
}

// The file stays within its limit and keeps its end while programs write to it.
func TestCut(t *testing.T) {
	out, err := openOutput(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	line := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for range 100 {
		if _, err := out.file.Write(line); err != nil {
			t.Fatal(err)
		}
		out.cut()
		var is syscall.Stat_t
		if err := syscall.Fstat(int(out.file.Fd()), &is); err != nil || is.Blocks*512 > mostOutput+2<<20 {
			t.Fatalf("it takes %d bytes: %v", is.Blocks*512, err)
		}
	}
	if _, err := out.file.WriteString("the end\n"); err != nil {
		t.Fatal(err)
	}
	out.shorten()
	if end := string(out.last(keptOutput)); !strings.HasSuffix(end, "x\nthe end\n") {
		t.Errorf("its end is %.20q", end[max(0, len(end)-20):])
	}
}
