package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ocaptain/fleet/tailnet"
)

// scan looks for a captain's secrets wherever they must not be: in the command line and the environment of every
// process of the captain and of the ships, in every file, and in all output. It runs with every test that has a
// captain.
type scan struct {
	testing.TB
	c     *captain
	over  chan struct{} // closed to end the watch
	ended chan struct{}
	buf   []byte // buffer of the watch

	mu      sync.Mutex
	roots   []string // directories of the captain, the ships and the machines they are on
	secrets []*secret
	looked  map[uint64]bool // hashes of what the scan has seen
	ours    map[string]bool // processes of the captain or of a ship
	ships   map[string]bool // ships whose agents the scan has seen
	found   []string        // findings, reported at the test's end
}

// place is a place where a secret may be.
type place struct {
	path    string // pattern of the end of the path
	secrets string // secrets whose name begins so may be there
	agents  bool   // secrets of agents may be there
	stays   bool   // the file may stay after the voyage is sunk
}

// hidden lists the files with secrets in them, below the captain's home or a ship's: only their owner may read them.
// Beside the captain's own files, no other file may have secrets.
var hidden = []place{
	{path: "voyages/*/secrets.json", agents: true},
	{path: "voyages/*/secrets.copy.json", agents: true},
	{path: "voyages/*/redis.json", secrets: "REDIS_PASSWORD"},
	{path: "voyages/*/redis.json", secrets: "OCAPTAIN_SESSION_SECRET"},
	{path: ".ocaptain/secrets.json", agents: true}, // on a ship
	{path: ".local/share/ocaptain/tokens/sprites.json", secrets: "SPRITE", stays: true},
	{path: ".local/share/ocaptain/tokens/exedev.json", secrets: "EXE_TOKEN", stays: true},
	{path: ".local/share/ocaptain/tokens/tailscale.json", secrets: tailnet.Variable, stays: true},
	{path: ".local/share/ocaptain/id_ed25519", secrets: "private key of id_ed25519", stays: true},
	{path: "ships/*/machine.json", secrets: "private key of machine.json"}, // this file also holds the host key of a ship on this machine
}

// newScan starts a scan. A benchmark gets nil, as the scan would be measured too; all methods of a nil scan do
// nothing.
func newScan(c *captain) *scan {
	if _, ok := c.TB.(*testing.B); ok {
		return nil
	}
	s := &scan{
		TB: c.TB, c: c, over: make(chan struct{}), ended: make(chan struct{}), buf: make([]byte, 1<<20), roots: []string{c.home},
		looked: map[uint64]bool{}, ours: map[string]bool{}, ships: map[string]bool{},
	}
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

// addKey looks for a private key of the captain's in the named file.
func (s *scan) addKey(name, file string) {
	if s == nil {
		return
	}
	keys := keysIn(file)
	if len(keys) != 1 {
		s.Fatalf("no private key in %s", file)
	}
	keys[0].name = name
	s.add(keys...)
}

// agentsGet names the secrets that the agents of this test get.
func (s *scan) agentsGet(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.secrets {
		x.agent = slices.Contains(names, x.name)
	}
}

// also makes the scan cover further directories.
func (s *scan) also(dirs ...string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots = append(s.roots, dirs...)
}

// text looks for secrets in output, or in a request to a service.
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

// files looks at every file. With sunk, the files that only ships needed must be gone.
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
			return nil // a file that was removed meanwhile has no secret
		})
	}
}

// isCaptains reports whether a file is the captain's own, such as a login or the configuration.
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
		return // the program itself
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

// isAt reports whether a path ends with a pattern.
func isAt(path, pattern string) bool {
	parts := strings.Split(path, "/")
	n := strings.Count(pattern, "/") + 1
	if len(parts) < n {
		return false
	}
	ok, _ := filepath.Match(pattern, strings.Join(parts[len(parts)-n:], "/"))
	return ok
}

// close ends the watch and fails the test with all findings.
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
