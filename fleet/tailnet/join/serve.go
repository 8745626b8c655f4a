package join

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// serve has tailscaled take connections from the tailnet to the door. With a tunnel they would go to
// the kernel, where nobody listens at the ship's address in the tailnet: the door listens on loopback alone. (In
// userspace tailscaled hands every port to loopback anyway.)
func (b *berth) serve(ctx context.Context, programs programs, port int) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	door := "127.0.0.1:" + strconv.Itoa(port)
	var is struct {
		TCP map[string]struct{ TCPForward string }
	}
	if out, err := b.tailscale(ctx, programs, "serve", "status", "--json").Output(); err == nil && json.Unmarshal(bytes.TrimSpace(out), &is) == nil {
		if len(is.TCP) == 1 && is.TCP[strconv.Itoa(port)].TCPForward == door {
			return nil
		}
		if len(is.TCP) > 0 { // the door was at another port
			if out, err := b.tailscale(ctx, programs, "serve", "reset").CombinedOutput(); err != nil {
				return fmt.Errorf("tailscale serve reset: %w: %s", err, b.scrub(string(out)))
			}
		}
	}
	if out, err := b.tailscale(ctx, programs, "serve", "--bg", "--yes", "--tcp="+strconv.Itoa(port), "tcp://"+door).CombinedOutput(); err != nil {
		return fmt.Errorf("tailscale serve: %w: %s", err, b.scrub(string(out)))
	}
	return nil
}
