// Package e2e sails whole voyages as a captain would: with the real program, real
// ships on this machine, real git and tmux.
package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/private/privatetest"
	"ocaptain/fleet/proctest"
	"ocaptain/fleet/program/programtest"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/cli/clitest"
)

// program is the path of ocaptain as captains get it, scratch a directory for all tests.
var program, scratch string

// watched builds ocaptain with the race detector, which makes every process end a second later.
var watched = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "watched", "ocaptain")
	return path, programtest.Build(path, "", "-race")
})

// carrier is the argument that makes this binary the way out of a sprite.
const carrier = "carrier-for-test"

// spriteRole is the argument that makes this binary the command sprite.
const spriteRole = "sprite-for-test"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == spriteRole {
		os.Exit(spritestest.Sprite(os.Args[2:]))
	}
	if len(os.Args) == 2 && os.Args[1] == carrier {
		fmt.Fprintln(os.Stderr, spritestest.Carry())
		os.Exit(1)
	}
	os.Exit(build(m))
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ocaptain-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	defer privatetest.Runtime()()
	scratch = dir
	if program, err = programtest.Program(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// captain is a user with a home of their own.
type captain struct {
	testing.TB
	home    string
	program string
	within  []string // beginning of each command, by which it runs in a network of its own
	hub     fleet.Hub
	env     []string
	scan    *scan
}

// newCaptain gives the test a captain. At the test's end it stops helm, sinks all ships, and fails the test if
// anything of them is left. During the test, a scan fails the test when a secret is where it does not belong.
func newCaptain(t testing.TB, env ...string) *captain {
	t.Helper()
	slottest.Take(t, 3) // for helm and, mostly, two ships
	home := t.TempDir()
	c := &captain{TB: t, home: home, program: program}
	c.hub = fleet.Hub{
		Home: home, Voyages: filepath.Join(home, "voyages"),
		State: filepath.Join(home, ".local", "share", "ocaptain"), Config: filepath.Join(home, ".config", "ocaptain"),
	}
	c.hub.Runtime, _ = fleet.RuntimeDir(c.hub.State)
	c.env = append([]string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color", "NO_COLOR=1",
		"GIT_CONFIG_NOSYSTEM=1", "XDG_RUNTIME_DIR=" + os.Getenv("XDG_RUNTIME_DIR"),
	}, env...)
	c.scan = newScan(c)
	c.write(".gitconfig", "[user]\n\tname = Ada Captain\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n")
	c.exposeModels()
	t.Cleanup(func() {
		if t.Failed() {
			c.dump()
		}
		c.scan.files(false)
		c.closed()
		if out, code := c.try("sink", "--all", "-f"); code != 0 && len(c.voyages()) > 0 {
			t.Errorf("sink: %s", out)
		}
		if out, code := c.try("helm", "stop"); code != 0 {
			t.Errorf("helm stop: %s", out)
		}
		c.noCrash()
		c.nothingLeft()
		c.scan.files(true)
		c.scan.close()
		_ = os.RemoveAll(c.hub.Runtime)
	})
	return c
}

// try runs ocaptain and returns what it printed and its exit code.
func (c *captain) try(args ...string) (string, int) {
	c.Helper()
	argv := slices.Concat(c.within, []string{c.program}, args)
	out, code, err := clitest.Run(c.home, c.env, argv[0], argv[1:]...)
	c.scan.text("what ocaptain "+strings.Join(args, " ")+" prints", []byte(out))
	if err != nil {
		c.Fatalf("ocaptain %v: %v", args, err)
	}
	return out, code
}

// ocaptain runs ocaptain and fails the test if it fails.
func (c *captain) ocaptain(args ...string) string {
	c.Helper()
	out, code := c.try(args...)
	if code != 0 {
		c.Fatalf("ocaptain %s: exit %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// sail runs "ocaptain sail" and returns the voyage.
func (c *captain) sail(args ...string) fleet.Dir {
	c.Helper()
	before := map[fleet.Dir]bool{}
	for _, d := range c.voyages() {
		before[d] = true
	}
	c.ocaptain(append([]string{"sail", "--detach"}, args...)...)
	for _, d := range c.voyages() {
		if !before[d] {
			return d
		}
	}
	c.Fatal("no voyage came of it")
	return ""
}

func (c *captain) voyages() []fleet.Dir {
	all, err := fleet.Voyages(c.hub.Voyages).List()
	if err != nil {
		c.Fatal(err)
	}
	return all
}

// until waits until ok holds for the voyage's board.
func (c *captain) until(d fleet.Dir, what string, ok func(fleet.Board) bool) (board fleet.Board) {
	c.Helper()
	eventually.Succeeds(c, what, func() error {
		b, err := fleet.LoadBoard(d)
		if err != nil {
			return err
		}
		if board = b; ok(b) {
			return nil
		}
		return otherwise(b)
	})
	return board
}

// otherwise prints a board that is not as wanted.
type otherwise fleet.Board

func (o otherwise) Error() string {
	o.Tasks = nil
	raw, _ := json.MarshalIndent(fleet.Board(o), "", " ")
	return "the board says:\n" + string(raw)
}

// complete waits until the voyage is verified. Every completed task extends the wait, up to the longest time of one wait.
func (c *captain) complete(d fleet.Dir) (board fleet.Board) {
	c.Helper()
	for done := 0; board.Phase != fleet.Complete; _, _, done = board.CountTasks() {
		board = c.until(d, "one more task completed, or all verified", func(b fleet.Board) bool {
			_, _, n := b.CountTasks()
			return b.Phase == fleet.Complete || n > done
		})
	}
	c.scan.files(false)
	if none := c.scan.unseen(board); len(none) > 0 {
		c.Errorf("the scan has looked at no process aboard %s", none)
	}
	return board
}

// git runs git in a directory.
func (c *captain) git(dir string, args ...string) string {
	c.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, slices.DeleteFunc(withoutSecrets(c.env), func(kv string) bool { return strings.HasPrefix(kv, "CODER_KEY=") })
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// write makes a file below the captain's home.
func (c *captain) write(name, content string) {
	c.Helper()
	if err := clitest.Write(filepath.Join(c.home, name), content); err != nil {
		c.Fatal(err)
	}
}

// dump logs what helps to understand a failure.
func (c *captain) dump() {
	raw, _ := os.ReadFile(filepath.Join(c.hub.State, "helm.log"))
	c.Logf("helm.log:\n%s", end(raw, 8000))
	for _, d := range c.voyages() {
		merged, _ := exec.Command("git", "-C", d.Workspace(), "log", "--stat=60", "--format=%h %ad %an: %s%n%b", "--date=iso-strict", d.ID()).CombinedOutput()
		c.Logf("branch %s:\n%s", d.ID(), end(merged, 12000))
		logs, _ := filepath.Glob(filepath.Join(d.LogsDir(), "*.jsonl"))
		for _, l := range append(logs, d.Events()) {
			raw, _ := os.ReadFile(l)
			c.Logf("%s:\n%s", filepath.Base(l), end(raw, 3000))
		}
	}
}

func end(raw []byte, n int) []byte {
	if len(raw) > n {
		return raw[len(raw)-n:]
	}
	return raw
}

// takeWatched gives the captain the program with the race detector.
func (c *captain) takeWatched() {
	c.Helper()
	path, err := watched()
	if err != nil {
		c.Fatal(err)
	}
	c.program = path
}

// crash matches the beginning of a panic, or of a report of the race detector, in a log.
var crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |WARNING: DATA RACE)`)

// noCrash fails the test when helm panicked or raced. A line that begins with "panic: " keeps gotestsum from running
// the test again.
func (c *captain) noCrash() {
	raw, err := os.ReadFile(filepath.Join(c.hub.State, "helm.log"))
	if err == nil && crash.Match(raw) {
		fmt.Println("panic: in helm")
		c.Errorf("helm crashed:\n%s", end(raw, 16000))
	}
}

// nothingLeft fails the test when a process, a directory or a socket of the captain's ships or helm is left.
func (c *captain) nothingLeft() {
	eventually.Succeeds(c, "no process is left", func() error {
		if left := proctest.With(c.home); len(left) > 0 {
			return errors.New(strings.Join(left, "\n"))
		}
		return nil
	})
	ships, _ := filepath.Glob(filepath.Join(c.hub.State, "ships", "voyage-*"))
	if len(ships) > 0 {
		c.Errorf("directories of ships left: %s", ships)
	}
	sockets, _ := filepath.Glob(filepath.Join(c.hub.Runtime, "*.sock"))
	if len(sockets) > 0 {
		c.Errorf("sockets left: %s", sockets)
	}
}

// helm returns the process id of helm, or 0.
func (c *captain) helm() int {
	out, code := c.try("helm", "status", "--json")
	if code != 0 {
		return 0
	}
	var h struct {
		PID int `json:"pid"`
	}
	if err := json.Unmarshal([]byte(out), &h); err != nil {
		c.Fatalf("helm status: %v\n%s", err, out)
	}
	return h.PID
}

func kill(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
