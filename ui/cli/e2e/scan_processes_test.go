package e2e

import (
	"bytes"
	"hash/maphash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
)

// watch looks at processes until close: at a new process at once, and then again and again, less and less often, as a
// process may exec another program; and at all processes now and then.
func (s *scan) watch() {
	defer close(s.ended)
	const often, seldom = 50 * time.Millisecond, 20 // seldom counts rounds of often
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
			age := known[pid] + 1
			there[pid] = age
			if age == 3 || age&(age-1) == 0 || n%seldom == 0 {
				s.process(pid)
			}
		}
		known = there
		maps.DeleteFunc(s.ours, func(pid string, _ bool) bool { return there[pid] == 0 })
		select {
		case <-tick.C:
		case <-s.over:
			return
		}
	}
}

var seed = maphash.MakeSeed()

// read reads a file of /proc in one call: a process that ends between two calls would show half of it.
func (s *scan) read(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	n, _ := f.Read(s.buf)
	return bytes.Clone(s.buf[:n])
}

// process looks at a process of the captain's or of a ship's. A process that execs another program between the two
// reads is looked at the next time.
func (s *scan) process(pid string) {
	argv, environ := s.read("/proc/"+pid+"/cmdline"), s.read("/proc/"+pid+"/environ")
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(argv) == 0 || !s.isOursLocked(pid, argv, environ) || !bytes.Equal(argv, s.read("/proc/"+pid+"/cmdline")) {
		return
	}
	hash := maphash.String(seed, string(argv)+"\x00\x00"+string(environ))
	if s.looked[hash] {
		return
	}
	s.looked[hash] = true
	if ship := shipOf(environ); ship != "" {
		s.ships[ship] = true
	}
	for _, x := range s.secrets {
		words := strings.ReplaceAll(string(argv), "\x00", " ")
		own := x.agent && isAgents(argv, environ) // an agent may do what it likes with its own secrets
		if x.in(argv) && !own {
			s.reportLocked("%s is in the command line %.300s", x.name, words)
		}
		if x.in(environ) && !s.isCaptain(argv, environ) && !own {
			s.reportLocked("%s is in the environment of %.300s", x.name, words)
		}
	}
}

// isOursLocked reports whether a process or its parent names one of the directories in its command line or its
// environment. The processes in the sandbox of a sprite name none, but they all descend from the program that made the
// sandbox, which is looked at before them or the next time.
func (s *scan) isOursLocked(pid string, argv, environ []byte) bool {
	names := func(dir string) bool {
		return bytes.Contains(argv, []byte(dir)) || bytes.Contains(environ, []byte(dir))
	}
	if !s.ours[pid] && !slices.ContainsFunc(s.roots, names) && !s.ours[parent(pid)] {
		return false
	}
	s.ours[pid] = true
	return true
}

// parent returns the process that started a process, "" when that is no longer known.
func parent(pid string) string {
	raw, _ := os.ReadFile("/proc/" + pid + "/stat")
	f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(f) < 2 {
		return ""
	}
	return f[1]
}

// shipOf returns the voyage and the name of the ship of an agent with that environment, "" for another process.
func shipOf(environ []byte) string {
	is := map[string]string{}
	for kv := range strings.SplitSeq(string(environ), "\x00") {
		name, value, _ := strings.Cut(kv, "=")
		is[name] = value
	}
	if is["OCAPTAIN_SHIP"] == "" {
		return ""
	}
	return is["OCAPTAIN_VOYAGE"] + " " + is["OCAPTAIN_SHIP"]
}

// unseen returns the ships that work or have worked although the scan has seen no process of theirs: there the scan proves nothing. It
// leaves out the script agent, which has no secrets and whose processes live only briefly.
func (s *scan) unseen(b fleet.Board) (names []string) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ship := range b.Ships {
		if worked := ship.Task != "" || ship.Completed > 0; worked && ship.Agent != "script" && !s.ships[b.Voyage.ID+" "+ship.Name] {
			names = append(names, ship.Name)
		}
	}
	return names
}

// isCaptain reports whether a process is the captain's own and has the captain's environment: the shell and the tmux
// of a window, or a typed command. Helm and the ships run other copies of the program. In tmux, a library asks tmux
// for its colours before main begins; where utempter is installed, tmux runs it to record the login.
func (s *scan) isCaptain(argv, environ []byte) bool {
	if !bytes.Contains(append([]byte{0}, environ...), []byte("\x00HOME="+s.c.home+"\x00")) {
		return false
	}
	switch string(argv) {
	case "sh\x00", "sh\x00-c\x00exec sh\x00", "bash\x00-c\x00exec sh\x00", "tmux\x00info\x00":
		return true
	}
	if bytes.HasPrefix(argv, []byte("tmux\x00-S\x00")) {
		return true
	}
	switch program, _, _ := bytes.Cut(argv, []byte{0}); filepath.Base(string(program)) {
	case "utempter", "clear":
		return true
	}
	if bytes.HasPrefix(argv, []byte("nsenter\x00")) { // a command about to enter the captain's network
		_, argv, _ = bytes.Cut(argv, []byte("\x00--\x00"))
	}
	after, ok := bytes.CutPrefix(argv, []byte(s.c.program+"\x00"))
	return ok && !bytes.HasPrefix(after, []byte("aboard\x00"))
}

// isAgents reports whether a process is an agent, or was started by an agent: only agents have the ship's name in
// their environment, and only the agent that makes a plan on the captain's machine has the variable against updates.
// The processes that watch agents are not agents.
func isAgents(argv, environ []byte) bool {
	for _, part := range []string{"run", "serve", "sshd"} {
		if bytes.Contains(argv, []byte("\x00aboard\x00"+part+"\x00")) {
			return false
		}
	}
	environ = append([]byte{0}, environ...)
	return bytes.Contains(environ, []byte("\x00OCAPTAIN_SHIP=")) || bytes.Contains(environ, []byte("\x00DISABLE_AUTOUPDATER=1\x00"))
}
