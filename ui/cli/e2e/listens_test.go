package e2e

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ocaptain/fleet/proctest"
	"ocaptain/fleet/tailnet"
)

// pids returns the captain's own processes: helm, the dashboard, and the processes that these have started.
func (c *captain) pids() []int { return pidsIn(proctest.With(c.home)) }

// pidsIn returns the process ids in proctest's list.
func pidsIn(processes []string) []int {
	var all []int
	for _, p := range processes {
		id, _, _ := strings.Cut(p, " ")
		if n, err := strconv.Atoi(id); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// listens fails the test when one of these processes listens on the network. With aboard, the processes of a ship may
// listen where only the ship itself and the tailnet lead: on loopback, and at an address of the tailnet. A ship's
// tailscaled also has ports at every address, one for UDP and one for TCP: there tailnets meet, and it answers only nodes
// of its own tailnet.
func (c *captain) listens(pids []int, aboard bool) {
	c.Helper()
	for _, pid := range pids {
		for _, s := range socketsOf(pid) {
			switch {
			case aboard && (s.addr.IsLoopback() || tailnet.IsAddress(s.addr)):
			case aboard && filepath.Base(s.program) == "tailscaled":
			default:
				c.Errorf("process %d, %s, listens at %s", pid, s.program, s)
			}
		}
	}
	if len(pids) == 0 {
		c.Error("no process was looked at")
	}
}

// socket is a socket that accepts packets or connections from the network.
type socket struct {
	program string
	addr    netip.Addr
	port    uint16
	udp     bool
}

func (s socket) String() string {
	return fmt.Sprintf("%s (UDP: %t)", netip.AddrPortFrom(s.addr, s.port), s.udp)
}

// socketsOf returns the sockets of a process, none when the process has ended.
func socketsOf(pid int) []socket {
	proc := "/proc/" + strconv.Itoa(pid)
	program, _ := os.Readlink(proc + "/exe")
	var inodes []string
	fds, _ := filepath.Glob(proc + "/fd/*")
	for _, fd := range fds {
		to, _ := os.Readlink(fd)
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			inodes = append(inodes, strings.TrimSuffix(inode, "]"))
		}
	}
	var all []socket
	for _, kind := range []string{"tcp", "tcp6", "udp", "udp6"} {
		f, err := os.Open(proc + "/net/" + kind) // /proc shows the network in which the process is
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			// The fields are number, own address, the peer's address, state (0A listens, 07 is not connected), …, and as the
			// tenth the inode.
			field := strings.Fields(lines.Text())
			if len(field) < 10 || !slices.Contains(inodes, field[9]) || field[3] != "0A" && field[3] != "07" {
				continue
			}
			at, port, _ := strings.Cut(field[1], ":")
			n, _ := strconv.ParseUint(port, 16, 16)
			all = append(all, socket{program, kernelAddr(at), uint16(n), strings.HasPrefix(kind, "udp")})
		}
		f.Close()
	}
	return all
}

// kernelAddr parses an address in the kernel's format: words of four bytes, each in reverse.
func kernelAddr(text string) netip.Addr {
	raw, err := hex.DecodeString(text)
	if err != nil {
		return netip.Addr{}
	}
	for word := range slices.Chunk(raw, 4) {
		slices.Reverse(word)
	}
	addr, _ := netip.AddrFromSlice(raw)
	return addr.Unmap()
}
