// Package nettest makes networks for tests out of network namespaces: hosts, each with a link to the same servers. A link can be cut, so that
// packets vanish and no connection is reset. A network is gone when its processes are, and needs no privileges where users may make namespaces.
package nettest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Servers is the address of the servers, on every host.
const Servers = "10.9.0.1"

// Network is a namespace with servers, and one for each host.
type Network struct {
	t     testing.TB
	shell *exec.Cmd // in the namespace of the servers, which it keeps
	said  strings.Builder
	pid   string   // of the shell
	hosts []string // process that keeps the namespace of each host

	mu  sync.Mutex // held for a command of the shell
	in  io.WriteCloser
	out *bufio.Reader
}

// New makes a network with n hosts. When the test ends, what still runs where the servers are is killed; the test ends what it runs on hosts.
func New(t testing.TB, n int) *Network {
	t.Helper()
	argv := []string{"unshare", "--net", "sh"}
	if os.Getuid() != 0 {
		argv = []string{"unshare", "--map-current-user", "--keep-caps", "--net", "sh"}
	}
	w := &Network{t: t, shell: exec.Command(argv[0], argv[1:]...)}
	w.shell.Stderr = &w.said
	in, err := w.shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.in, w.out = in, bufio.NewReader(out)
	if err := w.shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		space, _ := os.Readlink("/proc/" + w.pid + "/ns/net")
		_ = in.Close()
		_ = w.shell.Wait()
		killAll(space)
		if t.Failed() {
			t.Logf("network: %s", w.said.String())
		}
	})
	// A rule that drops packets has to come before the one for local addresses.
	w.pid = w.do(`set -e; trap 'kill $hosts; wait' EXIT; ip link set lo up; ip addr add ` + Servers + `/32 dev lo; ip rule add pref 100 lookup local; ip rule del pref 0; echo $$`)
	for i := range n {
		pid := w.do(`unshare --net sh -c 'echo $$; exec sleep infinity' & hosts="$hosts $!"`)
		w.do(fmt.Sprintf(`ip link add host%[1]d type veth peer name eth0 netns %[2]s
ip addr add 10.9.%[1]d.1/30 dev host%[1]d
ip link set host%[1]d up
nsenter --net=/proc/%[2]s/ns/net sh -ec 'ip link set lo up; ip addr add 10.9.%[1]d.2/30 dev eth0; ip link set eth0 up; ip route add default via 10.9.%[1]d.1'
echo done`, i+1, pid))
		w.hosts = append(w.hosts, pid)
	}
	return w
}

// killAll kills the processes of a network namespace. A login to sshd outlives the server while its link is cut.
func killAll(space string) {
	if own, _ := os.Readlink("/proc/self/ns/net"); own == space {
		return
	}
	all, _ := filepath.Glob("/proc/[0-9]*/ns/net")
	for _, name := range all {
		if at, err := os.Readlink(name); err == nil && at == space {
			pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// do has the shell run a command that prints a line, and returns the line.
func (w *Network) do(command string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.in, command+"\n")
	line := ""
	if err == nil {
		line, err = w.out.ReadString('\n')
	}
	if err != nil {
		w.t.Errorf("network: %s: %v", command, err)
	}
	return strings.TrimSpace(line)
}

// AtServers returns the beginning of a command that runs where the servers are.
func (w *Network) AtServers() []string { return enter(w.pid) }

// At returns the beginning of a command that runs on a host.
func (w *Network) At(host int) []string { return enter(w.hosts[host]) }

func enter(pid string) []string {
	argv := []string{"nsenter", "--target", pid, "--net"}
	if os.Getuid() != 0 {
		argv = append(argv, "--user", "--preserve-credentials")
	}
	return append(argv, "--")
}

// Cut has all packets between a host and the servers vanish until Mend.
func (w *Network) Cut(host int) {
	w.do(fmt.Sprintf("ip rule add pref %[1]d iif host%[1]d blackhole; ip rule add pref %[1]d to 10.9.%[1]d.2 blackhole; echo done", host+1))
}

// Mend ends a cut.
func (w *Network) Mend(host int) {
	w.do(fmt.Sprintf("ip rule del pref %[1]d; ip rule del pref %[1]d; echo done", host+1))
}
