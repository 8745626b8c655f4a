package e2e

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/tailnet"
)

// scan looks for a captain's secrets wherever they must not be: in the command line and the
// environment of every process of the captain's and of the ships', in every file, and in all that is
// printed. It runs with every test that has a captain.
type scan struct {
	testing.TB
	c     *captain
	over  chan struct{} // closed when no process is to be looked at any more
	ended chan struct{}
	buf   []byte // of the watch

	mu      sync.Mutex
	roots   []string // directories of the captain, the ships and the machines they are on
	secrets []*secret
	looked  map[uint64]bool // hashes of what was looked at
	found   []string        // so far, for the test's end
}

// place is where a secret may be.
type place struct {
	path    string // pattern of its end
	secrets string // that begin so
	agents  bool   // or what agents get
	stays   bool   // after the voyage is sunk
}

// hidden are files with secrets in them, below the captain's home or a ship's: nobody else may read
// them. They are the only ones, beside those that the captain has put there.
var hidden = []place{
	{path: "voyages/*/secrets.json", agents: true},
	{path: ".ocaptain/secrets.json", agents: true}, // on a ship
	{path: ".local/share/ocaptain/tokens/sprites.json", secrets: "SPRITE", stays: true},
	{path: ".local/share/ocaptain/tokens/exedev.json", secrets: "EXE_TOKEN", stays: true},
	{path: ".local/share/ocaptain/tokens/tailscale.json", secrets: tailnet.Variable, stays: true},
	{path: ".local/share/ocaptain/id_ed25519", secrets: "private key of id_ed25519", stays: true},
	{path: "ships/*/machine.json", secrets: "private key of machine.json"}, // with the host key of a ship on this machine
}

// newScan begins to look. A benchmark has none, as it would be measured too; all methods of none
// do nothing.
func newScan(c *captain) *scan {
	if _, ok := c.TB.(*testing.B); ok {
		return nil
	}
	s := &scan{TB: c.TB, c: c, over: make(chan struct{}), ended: make(chan struct{}), buf: make([]byte, 1<<20), roots: []string{c.home}, looked: map[uint64]bool{}}
	s.secrets = secretsOf(c.env)
	go s.watch()
	return s
}

// add looks for further secrets from now on.
func (s *scan) add(more ...*secret) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range more {
		if m != nil && !slices.ContainsFunc(s.secrets, func(old *secret) bool { return bytes.Equal(old.forms[0], m.forms[0]) }) {
			s.secrets = append(s.secrets, m)
			clear(s.looked)
		}
	}
}

// agentsGet says which of the secrets the agents of this test get, none for no name.
func (s *scan) agentsGet(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.secrets {
		x.agent = slices.Contains(names, x.name)
	}
}

// also looks at what is below further directories.
func (s *scan) also(dirs ...string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots = append(s.roots, dirs...)
}

// text looks at something that was printed, or that a service was sent.
func (s *scan) text(what string, text []byte) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.secrets {
		if x.in(text) {
			s.reportLocked("%s is in %s", x.name, what)
		}
	}
}

func (s *scan) reportLocked(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.found, text) {
		s.found = append(s.found, text)
	}
}

// files looks at every file there is. After the voyages are sunk, what only ships needed must be gone.
func (s *scan) files(sunk bool) {
	if s == nil {
		return
	}
	state := s.c.hub.State
	machines, _ := filepath.Glob(filepath.Join(state, "ships", "*", "machine.json"))
	s.add(keysIn(append(machines, filepath.Join(state, "id_ed25519"))...)...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, root := range s.roots {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && !s.isCaptains(path) {
				s.fileLocked(path, sunk)
			}
			return nil // what was removed meanwhile has no secret
		})
	}
}

// isCaptains reports whether a file is the captain's own affair, as logins and configuration are.
func (s *scan) isCaptains(path string) bool {
	for _, dir := range []string{".ssh", ".config"} {
		if strings.HasPrefix(path, filepath.Join(s.c.home, dir)+"/") {
			return true
		}
	}
	return false
}

func (s *scan) fileLocked(path string, sunk bool) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 16<<20 && strings.HasPrefix(filepath.Base(path), "ocaptain") {
		return // the program
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return
	}
	for _, x := range s.secrets {
		if !x.in(raw) {
			continue
		}
		i := slices.IndexFunc(hidden, func(h place) bool {
			return isAt(path, h.path) && (h.agents && x.agent || h.secrets != "" && strings.HasPrefix(x.name, h.secrets))
		})
		switch {
		case i < 0:
			s.reportLocked("%s is in %s", x.name, path)
		case info.Mode().Perm() != 0o600:
			s.reportLocked("%s is in %s, which is open to others: %s", x.name, path, info.Mode())
		case sunk && !hidden[i].stays:
			s.reportLocked("%s is still in %s", x.name, path)
		}
	}
}

// isAt reports whether a path ends as a pattern says.
func isAt(path, pattern string) bool {
	parts := strings.Split(path, "/")
	n := strings.Count(pattern, "/") + 1
	if len(parts) < n {
		return false
	}
	ok, _ := filepath.Match(pattern, strings.Join(parts[len(parts)-n:], "/"))
	return ok
}

// close ends the watch and fails the test with all that was found.
func (s *scan) close() {
	if s == nil {
		return
	}
	close(s.over)
	<-s.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.found {
		s.Errorf("secret: %s", text)
	}
}

// watch looks at processes until close: at new ones at once, and a few times more, as a process
// becomes another program, and at all now and then.
func (s *scan) watch() {
	defer close(s.ended)
	const often, seldom = 20 * time.Millisecond, 50 // of those
	known := map[string]int{}
	tick := time.NewTicker(often)
	defer tick.Stop()
	for n := 0; ; n++ {
		dirs, _ := os.ReadDir("/proc")
		there := map[string]int{}
		for _, d := range dirs {
			pid := d.Name()
			if pid[0] < '0' || pid[0] > '9' {
				continue
			}
			if there[pid] = known[pid] + 1; there[pid] <= 4 || n%seldom == 0 {
				s.process(pid)
			}
		}
		known = there
		select {
		case <-tick.C:
		case <-s.over:
			return
		}
	}
}

var seed = maphash.MakeSeed()

// read reads a file of /proc at one go: a process that ends between two would show half of it.
func (s *scan) read(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	n, _ := f.Read(s.buf)
	return bytes.Clone(s.buf[:n])
}

// process looks at a process, if it is one of the captain's or of a ship's. One that becomes another program between
// the two reads is looked at the next time.
func (s *scan) process(pid string) {
	argv, environ := s.read("/proc/"+pid+"/cmdline"), s.read("/proc/"+pid+"/environ")
	if !bytes.Equal(argv, s.read("/proc/"+pid+"/cmdline")) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := string(argv) + "\x00\x00" + string(environ)
	hash := maphash.String(seed, key)
	if len(argv) == 0 || s.looked[hash] {
		return
	}
	if s.looked[hash] = true; !slices.ContainsFunc(s.roots, func(dir string) bool { return strings.Contains(key, dir) }) {
		return
	}
	for _, x := range s.secrets {
		words := strings.ReplaceAll(string(argv), "\x00", " ")
		own := x.agent && isAgents(argv, environ) // an agent may do with its own what it likes
		if x.in(argv) && !own {
			s.reportLocked("%s is in the command line %.300s", x.name, words)
		}
		if x.in(environ) && !s.isCaptain(argv, environ) && !own {
			s.reportLocked("%s is in the environment of %.300s", x.name, words)
		}
	}
}

// isCaptain reports whether a process is the captain's own, with the captain's environment: the shell and the
// tmux of a window, and a command that was typed. Helm and the ships run other copies of the program. Within tmux
// a library asks it for its colours before main begins; where there is a utempter, it has that write down who is
// logged in.
func (s *scan) isCaptain(argv, environ []byte) bool {
	switch string(argv) {
	case "sh\x00", "sh\x00-c\x00exec sh\x00", "bash\x00-c\x00exec sh\x00", "tmux\x00info\x00":
		return true
	}
	if bytes.HasPrefix(argv, []byte("tmux\x00-S\x00")) {
		return true
	}
	switch program, _, _ := bytes.Cut(argv, []byte{0}); filepath.Base(string(program)) {
	case "utempter", "clear":
		return bytes.Contains(append([]byte{0}, environ...), []byte("\x00HOME="+s.c.home+"\x00"))
	}
	after, ok := bytes.CutPrefix(argv, []byte(s.c.program+"\x00"))
	return ok && !bytes.HasPrefix(after, []byte("aboard\x00"))
}

// isAgents reports whether a process is an agent, or was started by one: only agents are told
// the ship's name by their environment, and only one that makes a plan on the captain's machine not to
// update itself. What looks after them is none.
func isAgents(argv, environ []byte) bool {
	for _, part := range []string{"run", "serve", "sshd"} {
		if bytes.Contains(argv, []byte("\x00aboard\x00"+part+"\x00")) {
			return false
		}
	}
	environ = append([]byte{0}, environ...)
	return bytes.Contains(environ, []byte("\x00OCAPTAIN_SHIP=")) || bytes.Contains(environ, []byte("\x00DISABLE_AUTOUPDATER=1\x00"))
}
