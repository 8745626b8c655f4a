package sandbox

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/sync/whole"
)

// dnsForward is where a ship asks for names when this machine asks somebody on its own loopback. It is no address
// of anybody: pasta hands what is sent there to the first server that this machine asks.
const dnsForward = "169.254.1.53"

// closeInstead is the variable of the addresses that CloseAddresses closes.
const closeInstead = "OCAPTAIN_CLOSE"

// Network is how a confined ship gets to the internet from a network namespace of its own. pasta carries what the ship
// sends, as connections of the captain's, to everywhere but this machine.
type Network struct {
	walls   []string // what bubblewrap has to do
	argv    []string // pasta, but for the namespaces that it is to join
	closed  []string // addresses of this machine
	program []string // runs CloseAddresses
}

// NoNetwork is a network without anybody else, whose walls fall with the command that they were made for.
func NoNetwork() *Network { return &Network{walls: []string{"--unshare-net", "--die-with-parent"}} }

// NoNetworkError is why a ship cannot have a network of its own.
type NoNetworkError struct{ Why error }

func (e *NoNetworkError) Error() string { return e.Why.Error() }
func (e *NoNetworkError) Unwrap() error { return e.Why }

// NewNetwork finds what a network of a ship's own takes. The ship reaches these ports of this machine's loopback at
// its own loopback. The program is a command that calls CloseAddresses; without it, this machine's addresses stay
// open.
func NewNetwork(at Place, ports []int, program []string) (*Network, error) {
	programs, err := networkPrograms()
	if err != nil {
		return nil, &NoNetworkError{err}
	}
	var exposed []string
	for _, port := range slices.Compact(slices.Sorted(slices.Values(ports))) { // pasta refuses a port that occurs twice
		exposed = append(exposed, fmt.Sprint(port))
	}
	if len(exposed) == 0 {
		exposed = []string{"none"}
	}
	n := &Network{walls: []string{"--unshare-net", "--dev-bind-try", ownTun(at), tunDevice}, program: program}
	// By itself pasta opens every port of the ship's to this machine, every one of this machine's to the ship, and this
	// machine's loopback at the address of the gateway.
	n.argv = []string{
		programs.pasta, "--foreground", "--quiet", "--config-net", "--no-map-gw", "--dns-forward", dnsForward,
		"-t", "none", "-u", "none", "-U", "none", "-T", strings.Join(exposed, ","),
	}
	own, err := addresses()
	if err != nil {
		return nil, err
	}
	for _, a := range own {
		n.closed = append(n.closed, a.String())
	}
	return n, n.writeNames(at, own)
}

// tunDevice is the device of networks that programs carry.
const tunDevice = "/dev/net/tun"

// addresses are those of this machine that a ship would reach it at.
func addresses() ([]netip.Addr, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("addresses of this machine: %w", err)
	}
	var found []netip.Addr
	for _, a := range all {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && !prefix.Addr().IsLoopback() {
			found = append(found, prefix.Addr())
		}
	}
	return found, nil
}

// writeNames sees to it that the ship can look up names although it cannot reach whom this machine asks.
func (n *Network) writeNames(at Place, own []netip.Addr) error {
	const file = "/etc/resolv.conf"
	b, err := os.ReadFile(file)
	if err != nil {
		return nil //nolint:nilerr // a machine without names: so is the ship
	}
	names, changed := shipNames(string(b), own)
	if !changed {
		return nil
	}
	mine := filepath.Join(at.Dir, "resolv.conf")
	if err := whole.Write(mine, []byte(names), 0o644); err != nil {
		return err
	}
	n.walls = append(n.walls, "--ro-bind", mine, file)
	return nil
}

// shipNames is the resolv.conf of a ship, and whether it is another one than this machine's: when servers in there
// are this machine itself.
func shipNames(text string, own []netip.Addr) (names string, changed bool) {
	var kept []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "nameserver" {
			kept = append(kept, strings.TrimSuffix(line, "\n"))
			continue
		}
		if a, err := netip.ParseAddr(f[1]); err == nil && (a.IsLoopback() || a.IsUnspecified() || slices.Contains(own, a.Unmap().WithZone(""))) {
			changed = true
		}
	}
	if !changed {
		return text, false
	}
	return strings.Join(append(kept, "nameserver "+dnsForward), "\n") + "\n", true
}

// arguments returns bubblewrap's arguments for the network. Nil shares this machine's network.
func (n *Network) arguments() []string {
	if n == nil {
		return nil
	}
	return n.walls
}

// CloseAddresses makes the network that this process is in reach none of this machine's addresses, if it was started
// for that.
func CloseAddresses() (asked bool, err error) {
	closed, asked := os.LookupEnv(closeInstead)
	if asked {
		err = closeAddresses(strings.Fields(closed))
	}
	return asked, err
}
