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

// dnsForward is the address of a ship's DNS server if this machine's is on its own loopback. No machine has this
// address: pasta forwards what is sent there to the first DNS server of this machine.
const dnsForward = "169.254.1.53"

// closeInstead is the environment variable with the addresses that CloseAddresses closes.
const closeInstead = "OCAPTAIN_CLOSE"

// Network is a network namespace for a sandboxed ship. pasta carries the ship's traffic as connections of the captain,
// to everywhere except this machine.
type Network struct {
	walls   []string // arguments of bubblewrap
	argv    []string // the command pasta, without the namespaces to join
	closed  []string // addresses of this machine, to which no connection is made
	program []string // command that calls CloseAddresses
}

// NoNetwork returns a network that connects to nothing. The sandbox ends with the process that made it.
func NoNetwork() *Network { return &Network{walls: []string{"--unshare-net", "--die-with-parent"}} }

// NoNetworkError says why a ship cannot have its own network.
type NoNetworkError struct{ Why error }

func (e *NoNetworkError) Error() string { return e.Why.Error() }
func (e *NoNetworkError) Unwrap() error { return e.Why }

// NewNetwork returns a network for a ship, or a *NoNetworkError. The ship reaches ports of this machine's loopback at
// its own loopback. program is a command that calls CloseAddresses; without it, the ship can reach this machine's
// addresses.
func NewNetwork(at Place, ports []int, program []string) (*Network, error) {
	programs, err := networkPrograms()
	if err != nil {
		return nil, &NoNetworkError{err}
	}
	var exposed []string
	for _, port := range slices.Compact(slices.Sorted(slices.Values(ports))) { // without duplicates, which pasta refuses
		exposed = append(exposed, fmt.Sprint(port))
	}
	if len(exposed) == 0 {
		exposed = []string{"none"}
	}
	n := &Network{walls: []string{"--unshare-net", "--dev-bind-try", ownTun(at), tunDevice}, program: program}
	// By default, pasta opens every port of the ship to this machine, every port of this machine to the ship, and this
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

// tunDevice is the device for networks that programs carry.
const tunDevice = "/dev/net/tun"

// addresses returns the addresses by which a ship could reach this machine.
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

// writeNames writes a resolv.conf with which the ship can resolve names although it cannot reach this machine's DNS
// servers.
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

// shipNames returns the resolv.conf of a ship, and whether it differs from this machine's: it does if the DNS servers
// in it are this machine itself.
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

// arguments returns bubblewrap's arguments for the network. A nil Network shares this machine's.
func (n *Network) arguments() []string {
	if n == nil {
		return nil
	}
	return n.walls
}

// CloseAddresses makes this process's network unable to reach this machine's addresses, if the process was started
// for that.
func CloseAddresses() (asked bool, err error) {
	closed, asked := os.LookupEnv(closeInstead)
	if asked {
		err = closeAddresses(strings.Fields(closed))
	}
	return asked, err
}
