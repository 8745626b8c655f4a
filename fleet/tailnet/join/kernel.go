package join

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"ocaptain/fleet/tailnet"
)

// tunnel is the name of the device in kernel mode: not tailscale0, which is that of a tailscaled of the machine's owner.
const tunnel = "ocaptain0"

// whyFile keeps why a ship that should be in kernel mode is not.
const whyFile = "why-userspace"

// obstacle tells what stands against a tunnel device, nil for nothing. Two tailscaled with one each would
// fight over the same routing rules, so where another one has a device ours gets none.
func (b *berth) obstacle(ctx context.Context) error {
	if err := b.sudo(ctx); err != nil {
		return err
	}
	if out, err := b.asRoot(ctx, "sh", "-c", ": <>/dev/net/tun").CombinedOutput(); err != nil {
		return fmt.Errorf("no tunnel device can be made: %s", b.scrub(string(out)))
	}
	if s, err := (tailnet.Daemon{Socket: tailnet.DefaultSocket()}).Status(ctx); err == nil && s.TUN {
		return errors.New("the machine is in a tailnet already, by a tailscaled that is not ocaptain's")
	}
	all, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("look for other tunnels: %w", err)
	}
	for _, i := range all {
		if i.Name == tunnel || strings.HasPrefix(i.Name, "tailscale") || inTailnet(i) {
			return fmt.Errorf("the machine has a tunnel of another tailscaled: %s", i.Name)
		}
	}
	return nil
}

func inTailnet(i net.Interface) bool {
	addresses, _ := i.Addrs()
	for _, a := range addresses {
		// Only the range of IPv6 is Tailscale's alone: providers use that of IPv4, too.
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is6() && tailnet.IsAddress(p.Addr()) {
			return true
		}
	}
	return false
}

// fellBack remembers why it is userspace after all, for the answer to this order and to the next one.
func (b *berth) fellBack(why error) {
	_ = os.WriteFile(b.path(whyFile), []byte(why.Error()), 0o600)
}

// note is what the captain should know of an answer.
func (b *berth) note(kernel bool) string {
	if b.order.Mode != tailnet.Kernel || kernel {
		_ = os.Remove(b.path(whyFile))
		return ""
	}
	why, err := os.ReadFile(b.path(whyFile))
	if err != nil {
		why = []byte("it was begun that way")
	}
	return "it is in the tailnet in userspace, not by the kernel: " + b.scrub(string(why))
}
