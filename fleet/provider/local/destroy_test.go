package local_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks/eventually"
)

func eachMode(t *testing.T, test func(*testing.T, local.Options)) {
	for name, confine := range map[string]local.Confine{"confined": local.Always, "unconfined": local.Never} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, options(t, confine))
		})
	}
}

func TestTmuxSurvivesDisconnectAndDiesWithTheShip(t *testing.T) {
	eachMode(t, func(t *testing.T, o local.Options) {
		s := newShip(t, o)
		if got := s.sh(`tmux -L ocaptain new-session -d -s claude 'echo $$ >~/pid; exec cat'`); got != "" {
			t.Fatal(got)
		}
		attached, err := s.StartPty(soon(t), link.Command{Argv: []string{"tmux", "-L", "ocaptain", "attach", "-t", "claude"}}, link.Terminal{Cols: 80, Rows: 24})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(attached).ReadString('m'); err != nil {
			t.Fatal(err)
		}
		s.Close()
		<-attached.Done()
		s.connect()
		if got := s.sh(`until test -s ~/pid; do sleep 0.01; done; tmux -L ocaptain list-sessions -F '#{session_name} #{session_attached}' && kill -0 $(cat ~/pid) && echo alive`); got != "claude 0\nalive" {
			t.Errorf("after the disconnect: %q", got)
		}
		if len(processesOf(t, o, s.machine)) == 0 {
			t.Error("the search for processes finds none")
		}
		s.destroy()
	})
}

// No process of a ship outlives it, whatever it tries.
func TestDestroyEndsEverything(t *testing.T) {
	const stubborn = `trap '' TERM HUP INT; while :; do sleep 1; done`
	for name, start := range map[string]string{
		"daemon":             `setsid sh -c "$1" </dev/null >/dev/null 2>&1 &`,
		"twice removed":      `(setsid sh -c 'sh -c "$0" & exit' "$1" </dev/null >/dev/null 2>&1 &)`,
		"forgets where from": `cd /; (setsid env -i /bin/sh -c "$1" </dev/null >/dev/null 2>&1 &)`,
	} {
		t.Run(name, func(t *testing.T) {
			eachMode(t, func(t *testing.T, o local.Options) {
				s := newShip(t, o)
				pidfile := filepath.Join(s.home(), "pid")
				s.sh(start, `echo $$ >`+pidfile+`; `+stubborn)
				eventually.Holds(t, "it runs", func() bool { b, _ := os.ReadFile(pidfile); return len(b) > 0 })
				// Its pid is that in its own namespace, so find it by its command line.
				if !writing(pidfile) {
					t.Fatal("it does not run")
				}
				s.destroy()
				if writing(pidfile) {
					t.Error("it runs still")
				}
			})
		})
	}
}

// writing reports whether a process with this file's name in its command line is running.
func writing(file string) bool {
	commands, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, c := range commands {
		if b, _ := os.ReadFile(c); strings.Contains(string(b), file) {
			return true
		}
	}
	return false
}

func TestDestroyAfterTheServerDied(t *testing.T) {
	eachMode(t, func(t *testing.T, o local.Options) {
		s := newShip(t, o)
		s.sh(`tmux -L ocaptain new-session -d -s claude cat; (setsid sleep 1000 </dev/null >/dev/null 2>&1 &)`)
		killServer(t, o, s.machine)
		s.destroy()
	})
}

// beginCreate starts a process that creates a ship.
func beginCreate(t *testing.T, o local.Options, spec provider.Spec) *exec.Cmd {
	t.Helper()
	creating := exec.Command(os.Args[0], "create-for-test")
	b, _ := json.Marshal(creation{o, spec})
	creating.Stdin = strings.NewReader(string(b))
	if err := creating.Start(); err != nil {
		t.Fatal(err)
	}
	return creating
}

// If a process that creates a ship is killed at any moment, the ship can be destroyed completely.
func TestCreateKilledAtAnyMoment(t *testing.T) {
	eachMode(t, func(t *testing.T, o local.Options) {
		p := newProvider(t, o)
		for range 15 {
			spec, _ := newSpec(t, "ship-0")
			creating := beginCreate(t, o, spec)
			time.Sleep(rand.N(100 * time.Millisecond)) // a random moment is the point of this test
			_ = creating.Process.Kill()
			_ = creating.Wait()
			m, err := p.Get(soon(t), "ship-0")
			if err != nil {
				m = provider.Machine{Name: "ship-0", ID: "none"}
			}
			if err := p.Destroy(soon(t), "ship-0"); err != nil {
				t.Fatal(err)
			}
			var left []string
			defer func() {
				if t.Failed() {
					t.Log(left)
				}
			}()
			eventually.Holds(t, "nothing is left", func() bool { left = leftovers(t, o, m); return len(left) == 0 })
		}
	})
}

// creation holds the arguments of a process that only creates a ship.
type creation struct {
	Options local.Options
	Spec    provider.Spec
}

func createForTest() error {
	var c creation
	if err := json.NewDecoder(os.Stdin).Decode(&c); err != nil {
		return err
	}
	p, err := local.New(c.Options)
	if err != nil {
		return err
	}
	_, err = p.Create(context.Background(), c.Spec)
	return err
}

func TestShipsOutliveWhoMadeThem(t *testing.T) {
	eachMode(t, func(t *testing.T, o local.Options) {
		p := newProvider(t, o)
		spec, signer := newSpec(t, "ship-0")
		creating := exec.Command(os.Args[0], "create-for-test")
		b, _ := json.Marshal(creation{o, spec})
		creating.Stdin = strings.NewReader(string(b))
		// Killed as by a terminal that is closed.
		creating.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if out, err := creating.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		_ = syscall.Kill(-creating.Process.Pid, syscall.SIGHUP)
		m, err := p.Get(soon(t), "ship-0")
		if err != nil || m.State != provider.Running {
			t.Fatalf("got %+v, %v", m, err)
		}
		s := &ship{t: t, provider: p, options: o, machine: m}
		s.config = linkConfig(p, m, signer)
		s.connect()
		if got := s.sh("echo hello"); got != "hello" {
			t.Errorf("got %q", got)
		}
		s.destroy()
	})
}

// A record may have the pid of a process that is another's by now. Destroy must not kill that.
func TestPidOfAnotherProcess(t *testing.T) {
	o := options(t, local.Never)
	s := newShip(t, o)
	killServer(t, o, s.machine)
	bystander := exec.Command("sleep", "1000")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bystander.Process.Kill(); _ = bystander.Wait() }()
	file := filepath.Join(o.Root, "ship-0", "machine.json")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	if err := json.Unmarshal(b, &record); err != nil {
		t.Fatal(err)
	}
	record["process"].(map[string]any)["pid"] = bystander.Process.Pid
	b, _ = json.Marshal(record)
	writeFile(t, file, string(b), 0o600)
	if m, err := s.provider.Get(soon(t), "ship-0"); err != nil || m.State != provider.Stopped {
		t.Errorf("got %+v, %v", m, err)
	}
	s.destroy()
	if err := syscall.Kill(bystander.Process.Pid, 0); err != nil {
		t.Errorf("the bystander is dead: %v", err)
	}
	if state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", bystander.Process.Pid)); strings.Contains(string(state), ") Z") {
		t.Errorf("the bystander: %s", state)
	}
}

// Without a sandbox, the server adopts processes that lose their parent, and must reap them.
func TestOrphansAreBuried(t *testing.T) {
	s := newShip(t, options(t, local.Never))
	pid := s.sh(`(setsid sh -c 'echo $$; exec sleep 0.1' </dev/null 2>&1 &) | cat`)
	if _, err := strconv.Atoi(pid); err != nil {
		t.Fatal(pid)
	}
	eventually.Holds(t, "it is buried", func() bool {
		_, err := os.Stat("/proc/" + pid)
		return err != nil
	})
	for i := range 3 {
		if _, err := s.Run(soon(t), link.Command{Argv: []string{"sh", "-c", fmt.Sprint("exit ", i)}}); (err == nil) != (i == 0) {
			t.Errorf("exit %d: %v", i, err)
		}
	}
}
