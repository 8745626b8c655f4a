package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// wrapper is a git that runs the real git. Once armed, it kills the next git of a kind at one of its system calls, before the kernel
// carries the call out.
const wrapper = `#!/bin/sh
arm=${0%/*}/.armed
if [ -e "$arm" ] && read -r verb call n <"$arm" && { [ "$verb" = any ] || [ "$verb" = "$1" ]; } && mv "$arm" "$arm.$$" 2>/dev/null; then
  rm -f "$arm.$$"
  exec strace -f -qq -o "${0%/*}/.struck.$$" -e trace="$call" -e inject="$call:signal=KILL:when=$n" /usr/bin/git "$@"
fi
exec /usr/bin/git "$@"
`

// calls lists the system calls at which a git is killed, with the largest number of them that one git makes.
var calls = []struct {
	name string
	most int
}{
	{"write", 6},
	{"pwrite64", 2},
	{"rename,renameat,renameat2", 2},
	{"link,linkat", 4},
	{"unlink,unlinkat", 4},
	{"mkdir,mkdirat", 4},
	{"fsync", 3},
	{"ftruncate", 1},
	{"openat", 50},
	{"close", 36},
	{"read", 36},
	{"mmap", 20},
	{"clone,clone3,vfork", 1},
	{"execve", 1},
	{"exit_group", 1},
}

// verbs lists the git commands that do the work, on the hub and on ships.
var verbs = []string{
	"any", "any", "commit-tree", "merge-tree", "read-tree", "update-ref", "unpack-objects", "pack-objects", "status", "write-tree", "update-index", "cat-file",
}

// gits lists faults that kill a git at one of its system calls, on the hub or on a ship.
var gits = []fault{
	{name: "kill a git of the hub", strike: func(v *voyage) hit { return v.killGit("hub", filepath.Join(v.home, "bin"), nil) }},
	{name: "kill a git of the hub, and helm", strike: func(v *voyage) hit {
		return v.killGit("hub", filepath.Join(v.home, "bin"), func() { v.signal("hub", syscall.SIGKILL, v.hub()) })
	}},
	{name: "kill a git of a ship", strike: func(v *voyage) hit { return v.killShipsGit(nil) }},
	{name: "kill a git of a ship, and the ship", strike: func(v *voyage) hit {
		return v.killShipsGit(func(ship string) { v.signal("all of "+ship, syscall.SIGKILL, v.aboard(ship)) })
	}},
}

// wrapGit puts the wrapper into a directory, unless it is there. Ships may run as other users, who can disarm it.
func (v *voyage) wrapGit(dir string) {
	file := filepath.Join(dir, "git")
	if _, err := os.Stat(file); err == nil {
		return
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o777), os.WriteFile(file+".new", []byte(wrapper), 0o755), os.Rename(file+".new", file)); err != nil {
		v.note("%v", err)
	}
}

func (v *voyage) killShipsGit(then func(ship string)) hit {
	ship := v.someShip()
	dir := v.ships()[ship]
	if dir == "" {
		return did(false)
	}
	bin := filepath.Join(homeOf(dir), ".local", "bin")
	v.wrapGit(bin)
	return v.killGit(ship, bin, func() {
		if then != nil {
			then(ship)
		}
	})
}

// stale is how long an armed wrapper waits before it is armed for another kind of git: a ship runs few kinds.
const stale = 200 * time.Millisecond

// killGit arms a wrapper again and again, until a git is killed. Then it calls then, which may strike again.
func (v *voyage) killGit(whose, bin string, then func()) hit {
	rng := rand.New(rand.NewPCG(v.rng.Uint64(), 1)) // how often this source draws depends on the machine
	armed := filepath.Join(bin, ".armed")
	if v.until(3*time.Second, 2*time.Millisecond, func() bool {
		killed, what := struck(bin)
		if killed {
			v.note("a git of %s was killed: %s", whose, what)
		} else if info, err := os.Stat(armed); err != nil || time.Since(info.ModTime()) > stale {
			v.arm(armed, rng)
		}
		return killed
	}) {
		if then != nil {
			then()
		}
		return did(true).until(v.look)
	}
	_ = os.Remove(armed)
	v.note("no git of %s was killed", whose)
	return did(false).until(v.look)
}

// arm makes the wrapper kill the next git of a kind at some system call.
func (v *voyage) arm(file string, rng *rand.Rand) {
	verb, call := verbs[rng.IntN(len(verbs))], calls[rng.IntN(len(calls))]
	text := fmt.Sprintln(verb, call.name, 1+rng.IntN(call.most))
	if err := errors.Join(os.WriteFile(file+".new", []byte(text), 0o644), os.Rename(file+".new", file)); err != nil {
		v.note("%v", err)
	}
}

// struck reports whether a git was killed, and clears the reports of gits that ended.
func struck(bin string) (bool, string) {
	logs, _ := filepath.Glob(filepath.Join(bin, ".struck.*"))
	for _, name := range logs {
		raw, _ := os.ReadFile(name)
		text := strings.TrimSpace(string(raw))
		last := text[strings.LastIndexByte(text, '\n')+1:]
		switch {
		case strings.Contains(last, "+++ killed by SIGKILL"):
			_ = os.Remove(name)
			return true, text[max(0, len(text)-400):]
		case strings.Contains(last, "+++ exited"):
			_ = os.Remove(name)
		}
	}
	return false, ""
}
