package local_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/provider/local"
)

// world is what a ship must not reach. The superuser makes it, if he runs the test.
type world struct {
	Files   []string // each contains the secret
	Sockets []string // each answers with the secret
	Fifos   []string
}

const secret = "s3cret-of-the-machine"

// extra is a group that an ordinary captain is in, and to which services of the superuser are open.
const extra = 6001

// TestWalls attacks from a ship of each kind of captain: root, an ordinary user, and one with more groups.
func TestWalls(t *testing.T) {
	if os.Getenv(ordinary) != "" {
		attackWalls(t, toldWorld(t))
		return
	}
	superuser(t)
	w := newWorld(t)
	t.Run("superuser", func(t *testing.T) { attackWalls(t, w) })
	for name, groups := range map[string][]uint32{"ordinary": nil, "with more groups": {extra}} {
		t.Run(name, func(t *testing.T) { attackWallsAs(t, w, groups) })
	}
}

// newWorld makes secrets in every directory of a typical machine.
func newWorld(t *testing.T) (w world) {
	for _, parent := range []string{"/home", "/root", "/srv", "/mnt", "/media", "/run", "/var/lib", "/var/tmp", "/tmp", "/dev/shm", "/etc"} {
		dir, err := os.MkdirTemp(parent, "walls-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		file, socket, fifo := filepath.Join(dir, "file"), filepath.Join(dir, "socket"), filepath.Join(dir, "fifo")
		writeFile(t, file, secret, 0o640)
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				fmt.Fprintln(c, secret)
				c.Close()
			}
		}()
		if err := syscall.Mkfifo(fifo, 0o660); err != nil {
			t.Fatal(err)
		}
		for name, mode := range map[string]fs.FileMode{dir: 0o755, file: 0o640, socket: 0o660, fifo: 0o660} {
			if err := os.Chown(name, 0, extra); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
		w.Files, w.Sockets, w.Fifos = append(w.Files, file), append(w.Sockets, socket), append(w.Fifos, fifo)
	}
	return w
}

// attackWallsAs runs TestWalls again as another user.
func attackWallsAs(t *testing.T, w world, groups []uint32) {
	if len(groups) > 0 {
		for _, file := range w.Files[:1] { // check that the user himself can read it, so that the attack proves something
			probe := exec.Command("cat", file)
			probe.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: captain, Gid: captain, Groups: groups}}
			if out, err := probe.CombinedOutput(); string(out) != secret {
				t.Fatalf("the captain cannot read %s: %s, %v", file, out, err)
			}
		}
	}
	told, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	runAs(t, "TestWalls", groups, wallsWorld+"="+string(told))
}

// wallsWorld is the environment variable with the world for an ordinary captain's process.
const wallsWorld = "WALLS_WORLD"

func toldWorld(t *testing.T) (w world) {
	t.Helper()
	if err := json.Unmarshal([]byte(os.Getenv(wallsWorld)), &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// attackWalls tries to reach everything from a ship.
func attackWalls(t *testing.T, w world) {
	s := newShip(t, options(t, local.Always))
	for _, file := range append(w.Files, "/etc/shadow", "/etc/gshadow", "/etc/ssh", "/etc/ssl/private", "/etc/sudoers", "/proc/1/environ", "/proc/1/root/etc/shadow", "/proc/kcore") {
		if got := s.sh(`ls -d "$1" && head -c 100 "$1" && ls "$1"`, file); strings.Contains(got, secret) || strings.HasPrefix(file, "/etc/") && !strings.Contains(got, "No such file") {
			t.Errorf("%s: %s", file, got)
		}
	}
	for _, socket := range w.Sockets {
		if got := s.sh(`/run/ocaptain "$1" connect unix "$2"`, attackRole, socket); got != "" && !strings.Contains(got, "no such file") {
			t.Errorf("%s: %s", socket, got)
		}
	}
	for _, fifo := range w.Fifos {
		if got := s.sh(`test -e "$1" && echo there`, fifo); got != "" {
			t.Errorf("%s is there", fifo)
		}
	}
	for _, dir := range []string{"/home", "/root", "/srv", "/mnt", "/media", "/var", "/sys", "/boot", "/lost+found"} {
		if got := s.sh(`ls -A "$1" | grep -vx -e tmp`, dir); got != "" && !strings.Contains(got, "No such file") && !strings.HasPrefix(s.home(), dir+"/"+got) {
			t.Errorf("%s has %s", dir, got)
		}
	}
	for _, dir := range []string{"/", "/dev", "/etc", "/run", "/usr", "/var", "/opt"} {
		if got := s.sh(`touch "$1/ocaptain-was-here" && echo done`, dir); strings.Contains(got, "done") {
			t.Errorf("it can write to %s", dir)
		}
	}
	for dir, most := range map[string]int{"/tmp": 2 << 20, "/var/tmp": 1 << 20, "/dev/shm": 1 << 20} {
		got := s.sh(`touch "$1/x" && stat -c %a "$1" && df -k --output=size "$1" | tail -1`, dir)
		mode, size, _ := strings.Cut(got, "\n")
		if kib, err := strconv.Atoi(strings.TrimSpace(size)); err != nil || kib > most || mode != "1777" {
			t.Errorf("%s has %s", dir, got)
		}
	}
	if got := s.sh(`/run/ocaptain "$1" keys`, attackRole); got != "" {
		t.Errorf("keys: %s", got)
	}
	for _, pid := range processesOf(t, s.options, s.machine) {
		info, err := os.Stat(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			continue
		}
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		owner, _ := info.Sys().(*syscall.Stat_t)
		if os.Getuid() == 0 && owner.Uid == 0 && !strings.Contains(string(command), "bwrap") {
			t.Errorf("process %d of the superuser: %q", pid, command)
		}
	}
	if got := s.sh(`id -un; id -gn; getent passwd "$(id -u)" | cut -d: -f6`); got != s.machine.User+"\n"+s.machine.User+"\n"+s.home() {
		t.Errorf("it is %s", got)
	}
	s.destroy()
}
